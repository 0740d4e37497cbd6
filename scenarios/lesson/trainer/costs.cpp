#include "scenarios/lesson/trainer/costs.hpp"

namespace sim::lesson {

namespace {

// The index-th of `parts` nearly equal parts that add up to `whole`.
std::int64_t part_of(std::int64_t whole, std::int64_t index, std::int64_t parts) {
    __extension__ using Wide = __int128;
    const auto until = [&](std::int64_t i) { return static_cast<std::int64_t>(Wide{whole} * i / parts); };
    return until(index + 1) - until(index);
}

}  // namespace

Units Costs::compute(int items, int layer, Region region, LayerPass pass) const {
    const std::int64_t all = Units(options_->compute_units * items).billionths();
    const std::int64_t ranks = std::int64_t{options_->mesh.tp} * options_->mesh.cp;
    const std::int64_t mine = all / ranks + (all % ranks != 0 ? 1 : 0);
    const int half = region == Region::attention ? 0 : 1;
    const int slot = 2 * static_cast<int>(pass) + half;  // of six in a layer
    return Units::from_billionths(
        part_of(mine, 6 * std::int64_t{layer} + slot, 6 * std::int64_t{options_->shape.layers}));
}

Units Costs::activation(int items, int parts) const {
    return Units(options_->activation_units * items / parts);
}

Units Costs::boundary(int items) const {
    return activation(items, options_->mesh.cp * (options_->sequence_parallel ? options_->mesh.tp : 1));
}

Units Costs::kept(int items, int layers) const {
    return Units::from_billionths(boundary(items).billionths() * layers);
}

Units Costs::dense_gradient(int layer) const {
    const std::int64_t whole = Units(options_->gradient_units / options_->mesh.tp).billionths();
    const std::int64_t of_layer = part_of(whole, layer, options_->shape.layers);
    return Units::from_billionths(options_->shape.experts > 0 ? of_layer - of_layer / 2 : of_layer);
}

Units Costs::expert_gradient(int layer) const {
    const std::int64_t whole = Units(options_->gradient_units / options_->mesh.tp).billionths();
    return Units::from_billionths(part_of(whole, layer, options_->shape.layers) / 2 / options_->mesh.ep);
}

}  // namespace sim::lesson
