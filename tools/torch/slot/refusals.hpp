// Operators that the slot does not simulate, each with what a script uses instead (cuda_only.toml).
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <string>

namespace sim::slot {

// The program asks for what is not simulated: throws NotImplementedError with these words, and the run ends as refused
// where that escapes.
[[noreturn]] void refuse(const std::string& why);

void refuse_operator(const c10::OperatorHandle& op, torch::jit::Stack* stack);

// The same for sparse and nested tensors.
void refuse_layout(const c10::OperatorHandle& op, torch::jit::Stack* stack);

// For what nobody has registered: an operator of another library runs as its kernel for the CPU does; one of PyTorch's
// own has no kernel on a GPU either, and is refused as there.
void run_where_known(const c10::OperatorHandle& op, torch::jit::Stack* stack);

}  // namespace sim::slot
