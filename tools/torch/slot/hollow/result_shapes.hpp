// The shapes of an operator's results, from PyTorch's kernels for meta tensors, or ours.
#pragma once

#include "tools/torch/slot/hollow/known_shapes.hpp"
#include "tools/torch/slot/hollow/shapes.hpp"

#include <memory>
#include <span>

namespace sim::slot {

// Null if PyTorch does not know them.
std::shared_ptr<const ResultShapes> shapes_of_results(const c10::OperatorHandle& op, const HollowTraits& traits,
                                                      std::span<const c10::IValue> given);

}  // namespace sim::slot
