#include "libsim/training/memory/tower_bytes.hpp"

#include "libsim/training/memory/layer_bytes.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/tower.hpp"

#include <algorithm>

namespace sim::training {

namespace {

void add_part(const TowerPart& part, const LayerBytes& bytes, TowerBytes& sum) {
    if (!part.trained) {
        sum.forward = std::max(sum.forward, bytes.kept + bytes.recomputed);
        return;
    }
    sum.kept += part.times * bytes.kept;
    sum.weight_inputs += part.times * bytes.weight_inputs;
    sum.backward = std::max(sum.backward, bytes.recomputed + bytes.backward);
}

}  // namespace

TowerBytes tower_bytes(const Transformer& model, const Layout& layout) {
    TowerBytes sum;
    if (!model.tower) {
        return sum;
    }
    const Layout own = tower_layout(*model.tower, layout);
    Layout kept = own;
    kept.framework.recompute = Recompute::none;
    for (const TowerPart& part : tower_parts(model, layout)) {
        add_part(part, layer_bytes(model.tower->model, part.is_layer ? own : kept, part.operators), sum);
        const auto parameters =
            static_cast<double>(layer_parameters(part.operators).dense_of_rank(layout.parallelism.tp));
        (part.trained ? sum.trained : sum.frozen) += part.times * parameters;
        if (part.trained && has_trained_parts(layout)) {
            sum.states += trained_part(own, layer_training(part.operators).dense, parameters).times(part.times);
        }
    }
    sum.states.frozen_bytes += element_bytes(layout) * sum.frozen;
    return sum;
}

}  // namespace sim::training
