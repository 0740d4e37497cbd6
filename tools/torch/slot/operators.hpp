// Every operator of PyTorch on tensors of the simulated GPU: it runs as the CPU's kernel does, on the same numbers, and
// its price is handed to the current stream.
//
// One boxed function stands for all of them. It is registered by name for each operator that has a CUDA kernel in a
// build for CUDA, so that it comes before PyTorch's composite forms, as there. An operator of PyTorch's own that has
// none is refused, as on a GPU; one of another library runs as its kernel for the CPU does. It is called below autograd
// and autocast, by any thread.
#pragma once

#include "tools/torch/slot/call.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <initializer_list>

namespace sim::slot {

void run_operator(const c10::OperatorHandle& op, torch::jit::Stack* stack);
// For sparse and nested tensors: what they are made of decides which kernel for the CPU it is.
void run_by_layout(const c10::OperatorHandle& op, torch::jit::Stack* stack);

// Hands the price of a kernel of our own to the current stream of a device. `name` is that of the operator, as its
// schema has it, and the values are its arguments in order.
void launch_own(const char* name, const char* overload, c10::DeviceIndex device,
                std::initializer_list<c10::IValue> arguments, std::initializer_list<c10::IValue> results);

// Throws what a simulated GPU has failed with.
void require(bool succeeded);

}  // namespace sim::slot
