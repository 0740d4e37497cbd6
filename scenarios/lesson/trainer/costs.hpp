// These costs are a rank's share of the work, in units: the options' units, divided over the ranks.
//
//   compute      --compute-units per item, evenly over the layers; a third of a layer each for forward, input gradient
//                and weight gradient, half of each for attention and for the MLP; a rank has 1/(tp cp)
//   activation   --activation-units per item at a layer's boundary: 1/cp of it on a rank; 1/(tp cp) if positions
//                are spread over tp (sequence parallelism)
//   gradient     --gradient-units of the whole model, evenly over its layers: 1/tp of a rank's. With experts
//                half of a layer's is theirs, 1/ep of it on a rank. Embedding and head count as part of the layers
// Weights cost as much as their gradient. Parts are cut so that they add up to the whole.
#pragma once

#include "libsim/units.hpp"
#include "scenarios/lesson/transformer/surroundings.hpp"
#include "scenarios/options/options.hpp"

namespace sim::lesson {

class Costs {
public:
    explicit Costs(const scenarios::Options& options) : options_(&options) {}

    Units compute(int items, int layer, Region region, LayerPass pass) const;

    // The units that tensor parallel ranks sum, or gather and scatter, after half a layer.
    Units summed(int items) const { return activation(items, options_->mesh.cp); }
    // The units sent over a pipeline boundary, and those kept for the backward pass.
    Units boundary(int items) const;
    Units kept(int items, int layers) const;
    // Keys and values sent to the next context parallel rank.
    Units rotated(int items) const { return activation(2 * items, options_->mesh.cp * options_->mesh.tp); }
    // All tokens sent to experts, top-k times each.
    Units dispatched(int items) const { return activation(items * options_->shape.top_k, options_->mesh.cp); }

    Units dense_gradient(int layer) const;
    Units expert_gradient(int layer) const;

private:
    Units activation(int items, int parts) const;

    const scenarios::Options* options_;
};

}  // namespace sim::lesson
