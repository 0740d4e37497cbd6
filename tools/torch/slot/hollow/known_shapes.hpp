// The shapes of results that PyTorch has been asked for once: its own answers take up to a millisecond, and a program
// asks the same thousands of times. To look for them takes some nanoseconds for each number of the arguments' shapes.
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

// All that the shapes of an operator's results depend on, as a row of words.
class CallSignature {
public:
    CallSignature(const c10::OperatorHandle& op, std::span<const c10::IValue> given);

    // Whether no argument is of a kind that cannot be compared.
    bool is_complete() const { return is_complete_; }
    std::span<const std::uint64_t> words() const { return {words_.data(), words_.size()}; }

private:
    void add(const c10::IValue& value);
    void add(const at::Tensor& tensor);
    void add(std::string_view text);

    c10::SmallVector<std::uint64_t, 64> words_;
    bool is_complete_ = true;
};

// What an operator gives back, as meta tensors.
struct ResultShapes {
    torch::jit::Stack results;
    // Of some of their storages, the argument in whose memory they lie.
    std::vector<std::pair<c10::Storage, std::size_t>> lies_in = {};
};

// Null: none are known.
std::shared_ptr<const ResultShapes> known_shapes(const CallSignature& signature);
std::shared_ptr<const ResultShapes> remember_shapes(const CallSignature& signature, ResultShapes shapes);

}  // namespace sim::slot
