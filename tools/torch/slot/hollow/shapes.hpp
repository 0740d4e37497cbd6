// What an operator gives back in a hollow run, without its numbers: shapes as PyTorch's own kernels for meta tensors
// say, or ours.
#pragma once

#include "tools/torch/slot/kernels/kernels.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/util/SmallVector.h>

#include <cstddef>
#include <span>
#include <vector>

namespace sim::slot {

// What matters of an operator in a hollow run.
struct HollowTraits {
    std::vector<std::size_t> written = {};      // which arguments it writes to
    std::vector<bool> gives_back_written = {};  // of each result: it is one of these
    bool has_outputs = false;                   // these are made to fit what comes out
    bool is_shaped_by_numbers = false;          // how large its result is depends on numbers
    bool is_kernel = true;                 // else it only looks at a tensor, or makes memory that nobody has touched
    bool needs_shapes = true;              // it gives back more than what it writes to as it is
    bool picks_by_mask = false;            // masked_select
    bool chooses = false;                  // topk: where tokens go
    bool zeroes = false;                   // zero_
    bool overwrites = false;               // what it writes to, it does not read
    std::optional<std::size_t> told_size;  // which argument may say how large its result is: repeat_interleave
    const Kernel* own = nullptr;           // it takes meta tensors; null: PyTorch's kernel for them does
};
HollowTraits hollow_traits(const c10::OperatorHandle& op);

// Whether the host of a GPU waits for numbers in this call: how large its result is depends on them.
bool waits_for_numbers(const HollowTraits& traits, std::span<const c10::IValue> given);

// Whether it is about tensors of the host alone, with strides, and makes what it makes there.
bool is_of_host(std::span<const c10::IValue> given);

// Whether a call does not run. Throws where its result's shape depends on numbers that are not there.
bool is_skipped(const c10::OperatorHandle& op, const HollowTraits& traits, std::span<const c10::IValue> given);

// Whether any tensor that a call reads is hollow.
bool reads_hollow(const HollowTraits& traits, std::span<const c10::IValue> given);

// Adds the results of a call that is skipped, hollow, on `device`. False where PyTorch does not know their shapes.
using HollowResults = c10::SmallVector<c10::IValue, 4>;
bool give_hollow(const c10::OperatorHandle& op, const HollowTraits& traits, std::span<const c10::IValue> given,
                 c10::Device device, HollowResults& results);

// A call ran. Where it has read hollow numbers, hollow is what it has written to, or else given back; what it has
// overwritten with others is known.
void mark_results(const HollowTraits& traits, std::span<const c10::IValue> given, std::span<const c10::IValue> results,
                  bool has_read_hollow);

}  // namespace sim::slot
