#include "libsim/training/operators/operator_list.hpp"

namespace sim::training {

namespace {

// Products with an activation function between them, for `rows` tokens.
void add_projector(OperatorList& list, const OperatorSizes& sizes, const Transformer& model, double rows) {
    const Tower& tower = *model.tower;
    std::int64_t width = std::int64_t{tower.joined} * tower.model.hidden;
    if (tower.norm) {
        Operator& norm = list.memory("norm of patches", rows * static_cast<double>(width), {2, 3.5, 1, 2});
        norm.weights.norms = (model.norm_biases ? 2 : 1) * std::int64_t{tower.model.hidden};
        norm.bytes.values = sizes.element * rows * static_cast<double>(width);
    }
    for (int product = 1; product <= tower.products; ++product) {
        const bool is_last = product == tower.products;
        const std::int64_t outputs = is_last ? model.hidden : tower.inner;
        Operator& op = list.everywhere("projector", rows, outputs, width);
        op.weights.biases = tower.biases ? outputs : 0;
        const double bytes = sizes.element * rows * static_cast<double>(outputs);
        op.bytes.values = is_last ? 0 : bytes;
        if (!is_last) {
            list.memory("activation", rows * static_cast<double>(outputs), {2, 3, 1, 1}).bytes.values = bytes;
        }
        width = outputs;
    }
}

}  // namespace

std::vector<Operator> projector_operators(const Transformer& model, const Layout& layout) {
    const Tower& tower = *model.tower;
    const OperatorSizes sizes(tower.model, layout);
    OperatorList list(sizes);
    const double rows = double{1} * layout.batch.micro * tower.tokens / spread_between(layout);
    if (tower.model.final_norm) {
        add_norm(list, sizes).bytes.input = sizes.bytes(sizes.stream);
    }
    if (tower.tokens < tower.model.sequence) {  // joined, averaged, or without the class token
        list.memory("tokens of patches", sizes.own_tokens * tower.model.hidden, {2, 2, 1, 1}).bytes.values =
            sizes.element * rows * tower.joined * tower.model.hidden;
    }
    for (int projector = 0; projector <= tower.further; ++projector) {
        add_projector(list, sizes, model, rows);
    }
    list.memory("placing of image tokens", rows * model.hidden, {2, 2, 1, 1});
    return list.take();
}

}  // namespace sim::training
