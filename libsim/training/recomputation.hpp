// Recomputation repeats operators of a layer before its backward pass, in place of keeping their activations.
//
// Sources: Korthikanti et al. 2022 (attention's scores alone); torchtitan (its policy by operators, with FSDP).
#pragma once

#include "libsim/training/operators.hpp"

namespace sim::training {

// The layer's operators that are recomputed, in their order.
std::vector<Operator> recomputed(const std::vector<Operator>& operators, const Layout& layout);

}  // namespace sim::training
