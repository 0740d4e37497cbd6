// Recomputation repeats operators of a layer before its backward pass, in place of keeping their activations.
//
// Sources: Korthikanti et al. 2022 (attention's scores alone); Megatron-LM, --recompute-modules; torchtitan (its policy
// by operators, with FSDP).
#pragma once

#include "libsim/training/operators.hpp"

namespace sim::training {

// Selective recomputation is PyTorch's, by operators, and not by modules.
bool recomputes_by_operator(const Layout& layout);
// The modules that selective recomputation drops and repeats; with flash attention its scores are none of them, because
// they are never kept.
LayerModules recomputed_modules(const Layout& layout);
// The layer's operators that are recomputed, in their order.
std::vector<Operator> recomputed(const std::vector<Operator>& operators, const Layout& layout);

}  // namespace sim::training
