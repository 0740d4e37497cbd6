// Recomputation repeats operators of a layer before its backward pass instead of keeping their activations.
//
// Sources: Korthikanti et al. 2022 (only attention's scores); Megatron-LM, --recompute-modules; torchtitan (its policy
// by operators, with FSDP).
#pragma once

#include "libsim/training/operators.hpp"

namespace sim::training {

// Whether selective recomputation is PyTorch's, which selects operators rather than modules.
bool recomputes_by_operator(const Layout& layout);
// The modules that selective recomputation drops and repeats, without the scores of flash attention, which are never
// kept.
LayerModules recomputed_modules(const Layout& layout);
// The modules that no layer of the model has.
LayerModules missing_modules(const Transformer& model);
// The layer's operators that are recomputed, in order.
std::vector<Operator> recomputed(const std::vector<Operator>& operators, const Layout& layout);

}  // namespace sim::training
