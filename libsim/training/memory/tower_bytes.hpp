// The bytes of a model's tower on a rank of the first stage (training/tower.hpp).
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/memory/trained_part.hpp"
#include "libsim/training/transformer.hpp"

namespace sim::training {

// All 0 without a tower. Bytes are those of one micro-batch.
struct TowerBytes {
    double trained = 0;        // parameters that have gradients
    double frozen = 0;         // parameters that have none
    double kept = 0;           // from forward to backward
    double weight_inputs = 0;  // between the halves of a split backward pass
    double forward = 0;        // temporary: of a layer that keeps nothing
    double backward = 0;       // temporary
    TrainedPart states;        // of the trained and of the frozen ones
};
TowerBytes tower_bytes(const Transformer& model, const Layout& layout);

}  // namespace sim::training
