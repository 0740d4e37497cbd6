// The shapes of results that PyTorch has been asked for once: its own answers take up to a millisecond, and a program
// asks the same thousands of times.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <optional>
#include <span>
#include <string>

namespace sim::slot {

// All that the shapes of an operator's results depend on. None: an argument is of a kind that cannot be compared.
std::optional<std::string> signature_of(const c10::OperatorHandle& op, std::span<const c10::IValue> given);

// Meta tensors, as they were remembered.
std::optional<torch::jit::Stack> known_shapes(const std::string& signature);
void remember_shapes(const std::string& signature, const torch::jit::Stack& shapes);

}  // namespace sim::slot
