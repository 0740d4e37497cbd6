// A cache of result shapes: PyTorch takes up to a millisecond to compute them, and a program repeats the same calls
// thousands of times. A look-up takes a few nanoseconds per number in the arguments' shapes.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/util/SmallVector.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace sim::slot {

// Everything that the shapes of an operator's results depend on, as a sequence of words.
class CallSignature {
public:
    CallSignature(const c10::OperatorHandle& op, std::span<const c10::IValue> given);

    // False if an argument is of a kind that cannot be compared.
    bool is_complete() const { return is_complete_; }
    std::span<const std::uint64_t> words() const { return {words_.data(), words_.size()}; }

private:
    void add(const c10::IValue& value);
    void add(const at::Tensor& tensor);
    void add(std::string_view text);

    c10::SmallVector<std::uint64_t, 64> words_;
    bool is_complete_ = true;
};

// An operator's results as meta tensors.
struct ResultShapes {
    torch::jit::Stack results;
    // Storages of results that share an argument's memory, with that argument's index.
    std::vector<std::pair<c10::Storage, std::size_t>> lies_in = {};
};

// Null if none are known.
std::shared_ptr<const ResultShapes> known_shapes(const CallSignature& signature);
std::shared_ptr<const ResultShapes> remember_shapes(const CallSignature& signature, ResultShapes shapes);

}  // namespace sim::slot
