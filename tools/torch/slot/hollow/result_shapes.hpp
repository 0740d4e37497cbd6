// The shapes of an operator's results, from PyTorch's kernels for meta tensors, or ours.
#pragma once

#include "tools/torch/slot/hollow/shapes.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
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

// A cache: PyTorch takes up to a millisecond to compute the shapes, and a program repeats the same calls thousands of
// times. A look-up takes a few nanoseconds per number in the arguments' shapes. Null if none are known.
std::shared_ptr<const ResultShapes> known_shapes(const CallSignature& signature);
std::shared_ptr<const ResultShapes> remember_shapes(const CallSignature& signature, ResultShapes shapes);

// Null if PyTorch does not know them.
std::shared_ptr<const ResultShapes> shapes_of_results(const c10::OperatorHandle& op, const HollowTraits& traits,
                                                      std::span<const c10::IValue> given);

// Whether an index of this type is a mask, which picks true elements, and not a list of positions.
bool is_mask(const at::Tensor& tensor);

// An argument without its values: a tensor on the meta device, which has only a shape. Reads masks among indices and
// replaces them by indices of their true elements.
c10::IValue meta_of(const c10::IValue& value);

// The shape of masked_select's result.
at::Tensor picked_by_mask(const at::Tensor& tensor, const at::Tensor& mask);

}  // namespace sim::slot
