#include "libsim/training/memory/layer_bytes.hpp"

#include "libsim/training/recomputation.hpp"

#include <algorithm>

namespace sim::training {

namespace {

// Decides which of an operator's bytes are kept.
class Keeper {
public:
    explicit Keeper(const Layout& layout)
        : by_operator_(recomputes_by_operator(layout)),
          nothing_(layout.framework.recompute == Recompute::full),
          dropped_(recomputed_modules(layout)) {}

    double kept(const Operator& op) const {
        const double values = by_operator_                                  ? op.bytes.chosen
                              : nothing_ || op.modules.has_any_of(dropped_) ? 0
                                                                            : op.bytes.values;
        return op.bytes.input + values;
    }

private:
    bool by_operator_;
    bool nothing_;
    LayerModules dropped_;
};

LayerBytes sum_of(const std::vector<Operator>& operators, const Layout& layout) {
    const Keeper keeper(layout);
    LayerModules feed_forward = LayerModule::dense_ffn;
    feed_forward |= LayerModule::experts;
    LayerBytes sum;
    double in_full = 0;
    double attention = 0;  // gradients of attention and of the feed-forward part, which never coexist
    double ffn = 0;
    for (const Operator& op : operators) {
        in_full += op.bytes.input + op.bytes.values;
        sum.kept += keeper.kept(op);
        sum.weight_inputs += op.bytes.weight_inputs;
        (op.modules.has_any_of(feed_forward) ? ffn : attention) += op.bytes.gradients;
    }
    // Everything that was not kept exists again during the layer's backward pass.
    sum.recomputed = in_full - sum.kept;
    sum.backward = std::max(attention, ffn);
    return sum;
}

}  // namespace

bool is_fully_sharded(const Layout& layout) {
    return layout.parallelism.zero == 3;
}

LayerBytes layer_bytes(const Transformer& model, const Layout& layout, const std::vector<Operator>& operators) {
    LayerBytes bytes = sum_of(operators, layout);
    if (layout.parallelism.sequence_parallel) {  // gathers a product's input again, and its output gradient
        bytes.backward += element_bytes(layout) * tokens_of(model, layout) * 2.0 * model.hidden;
    }
    return bytes;
}

LayerBytes layer_bytes(const Transformer& model, const Layout& layout, int layer) {
    return layer_bytes(model, layout, layer_operators(model, layout, layer));
}

LayerBytes join_bytes(const Transformer& model, const Layout& layout) {
    return sum_of(join_operators(model, layout), layout);
}

}  // namespace sim::training
