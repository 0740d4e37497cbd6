// Operators that the slot does not simulate, each with what a script can use instead (cuda_only.toml).
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace sim::slot {

void refuse_operator(const c10::OperatorHandle& op, torch::jit::Stack* stack);

// The same for sparse and nested tensors.
void refuse_layout(const c10::OperatorHandle& op, torch::jit::Stack* stack);

// The fallback for unregistered operators: one of another library runs its CPU kernel; one of PyTorch's own has no GPU
// kernel either, and is refused as on a GPU.
void run_where_known(const c10::OperatorHandle& op, torch::jit::Stack* stack);

}  // namespace sim::slot
