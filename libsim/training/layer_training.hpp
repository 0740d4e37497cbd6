// Layer training is what a rank trains of a layer, and what it keeps frozen: sums over the layer's operators.
//
// Without adapters all weights are trained, and only the matrices are listed here: parameters.hpp counts the rest.
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/operators.hpp"
#include "libsim/training/optimizer.hpp"
#include "libsim/training/transformer.hpp"

#include <cstdint>
#include <vector>

namespace sim::training {

// The part of a layer that is replicated like dense parameters, or its routed experts, on one rank.
struct PartTraining {
    std::vector<MatrixShape> matrices;  // that are trained; each is updated by itself
    double adapters = 0;                // numbers of adapters, which are all that is trained, if there are any
    double packed = 0;                  // numbers of frozen matrices that may be quantised
    double widest_packed = 0;           // numbers of the largest of them

    double matrix_numbers() const;
    // Bytes of the optimizer's states of the matrices beyond row.matrices.element per number.
    double further_states(const OptimizerRow& row) const;
};
struct LayerTraining {
    PartTraining dense;
    PartTraining routed;
};
// Requires: operators of a rank in its layout. Cost: linear in the operators.
LayerTraining layer_training(const std::vector<Operator>& operators);

// The numbers in a model's adapters: all of them, and those that work on a token.
struct AdapterNumbers {
    std::int64_t all = 0;
    std::int64_t active = 0;
};
AdapterNumbers adapter_numbers(const Transformer& model, const Adapters& adapters);

// FLOPs of a training step for one sequence, without recomputation: three times forward_flops(), or twice for products
// whose weights are frozen, plus three times the adapters', and once for
// a frozen tower. `causal_half`: as in forward_flops().
double training_flops(const Transformer& model, const Adapters& adapters, bool causal_half);

}  // namespace sim::training
