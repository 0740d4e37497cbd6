// Operators of PyTorch on tensors of the simulated GPU: each runs the CPU's kernel on the same data, and launches a
// kernel with its price on the current stream.
//
// One boxed function implements all of them. It is registered by name for each operator that has a CUDA kernel in a
// build for CUDA, so that it takes precedence over PyTorch's composite forms, as there. An operator of PyTorch without
// a CUDA kernel is refused, as on a GPU; one of another library runs its CPU kernel. It is called below autograd and
// autocast, from any thread.
#pragma once

#include "tools/torch/slot/call.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <initializer_list>

namespace sim::slot {

void run_operator(const c10::OperatorHandle& op, torch::jit::Stack* stack);
// For sparse and nested tensors: their layout decides which CPU kernel runs.
void run_by_layout(const c10::OperatorHandle& op, torch::jit::Stack* stack);

// Launches a kernel of our own, with its price, on the current stream of a device. `name` is the operator's name in its
// schema, and the values are its arguments in order.
void launch_own(const char* name, const char* overload, c10::DeviceIndex device,
                std::initializer_list<c10::IValue> arguments, std::initializer_list<c10::IValue> results);

// Passes the script's precision of fp32 products, whichever of PyTorch's switches it uses, to the GPU, which prices the
// next operators by it. It may change before any call.
void tell_precision();

// Whether the operator supports half precision in its CUDA kernel but not in its CPU kernel: it computes in single
// precision and rounds, as the CUDA kernel does. `name` is the dispatcher's: "aten::avg_pool3d".
bool is_widened(std::string_view name);

// Calls the CPU kernel. Requires: all tensors on the stack are on the CPU.
void call_widened(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace sim::slot
