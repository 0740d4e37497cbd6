// What the backward pass of a layer computes again before it.
//
// Sources: Korthikanti et al. 2022 (attention's scores alone); torchtitan (its policy by operators, with FSDP).
#pragma once

#include "libsim/training/operators.hpp"

namespace sim::training {

// Of a layer's operators, in their order.
std::vector<Operator> recomputed(const std::vector<Operator>& operators, const Layout& layout);

}  // namespace sim::training
