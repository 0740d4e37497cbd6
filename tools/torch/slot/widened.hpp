// Operators that support half precision in their CUDA kernels but not in their CPU kernels: they compute in single
// precision and round, as the CUDA kernels do.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace sim::slot {

// `name` is the dispatcher's: "aten::avg_pool3d".
bool is_widened(std::string_view name);

// Calls the CPU kernel. Requires: all tensors on the stack are on the CPU.
void call_widened(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace sim::slot
