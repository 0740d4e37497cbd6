#include "libsim/training/activation_sizes.hpp"

namespace sim::training {

double element_bytes(const Layout& layout) {
    return row_of(layout.numerics.precision).element_bytes;
}

double kept_input_bytes(const Layout& layout) {
    return layout.framework.loop == TrainingLoop::megatron ? row_of(layout.numerics.precision).kept_bytes
                                                           : element_bytes(layout);
}

double tokens_of(const Transformer& model, const Layout& layout) {
    return double{1} * layout.batch.micro * model.sequence / layout.parallelism.cp;
}

double tokens_between_stages(const Transformer& model, const Layout& layout) {
    const double encoded = model.encoder ? double{1} * layout.batch.micro * model.encoder->sequence : 0;
    return tokens_of(model, layout) + encoded;
}

double output_rows_of(const Transformer& model, const Layout& layout) {
    return model.has_output_of_sample() ? double{1} * layout.batch.micro : tokens_of(model, layout);
}

double spread_between(const Layout& layout) {
    return layout.parallelism.sequence_parallel ? layout.parallelism.tp : 1;
}

bool has_dropout(const Transformer& model) {
    return model.biases && !model.patches;
}

}  // namespace sim::training
