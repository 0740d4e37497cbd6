// These costs are a rank's part of the work, in units: the options' units, divided over the ranks.
//
//   compute      --compute-units per item, even over the layers; of a layer a third each for forward, input gradient
//                and weight gradient, half of each for attention and for the feed-forward part; a rank has 1/(tp cp)
//   activation   --activation-units per item at a layer's boundary: 1/cp of it on a rank; 1/(tp cp) where positions
//                are spread over tp (sequence parallelism)
//   gradient     --gradient-units of the whole model, even over the layers: 1/tp of its layers' on a rank. With experts
//                half of a layer's is theirs, of which a rank has 1/ep. Embedding and head are counted with the layers
// Weights cost as much as their gradient. Parts are cut so that they add up to the whole.
#pragma once

#include "libsim/units.hpp"
#include "scenarios/lesson/transformer/surroundings.hpp"
#include "scenarios/options/options.hpp"

namespace sim::lesson {

class Costs {
public:
    explicit Costs(const scenarios::Options& options) : options_(&options) {}

    Units compute(int items, int layer, lesson::Region region, lesson::LayerPass pass) const;

    // The units that tensor parallel ranks sum, or gather and scatter, after half a layer.
    Units summed(int items) const { return activation(items, options_->mesh.cp); }
    // The units that a pipeline's boundary sends, and those kept for the backward pass.
    Units boundary(int items) const;
    Units kept(int items, int layers) const;
    // Keys and values that visit the next context parallel rank.
    Units rotated(int items) const { return activation(2 * items, options_->mesh.cp * options_->mesh.tp); }
    // All tokens for the experts, top-k times.
    Units dispatched(int items) const { return activation(items * options_->shape.top_k, options_->mesh.cp); }

    Units dense_gradient(int layer) const;
    Units expert_gradient(int layer) const;

private:
    Units activation(int items, int parts) const;

    const scenarios::Options* options_;
};

}  // namespace sim::lesson
