// Operators whose kernels for CUDA know half precision and whose kernels for the CPU do not: the numbers are made in
// single precision and rounded, as the kernels for CUDA do.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace sim::slot {

// `name` as the dispatcher has it: "aten::avg_pool3d".
bool is_widened(std::string_view name);

// Calls the CPU's kernel. Tensors of the stack are on the CPU.
void call_widened(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace sim::slot
