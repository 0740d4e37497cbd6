// The results of an operator in a hollow run, without values: shapes from PyTorch's own kernels for meta tensors, or
// ours.
#pragma once

#include "tools/torch/slot/kernels/kernels.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Storage.h>
#include <c10/util/SmallVector.h>

#include <cstddef>
#include <span>
#include <vector>

namespace sim::slot {

// The properties of an operator that matter in a hollow run.
struct HollowTraits {
    std::vector<std::size_t> written = {};      // indices of arguments that it writes to
    std::vector<bool> gives_back_written = {};  // for each result: whether it is one of these
    bool has_outputs = false;                   // out= arguments, which are resized to the results
    bool is_shaped_by_numbers = false;          // the size of its result depends on values
    bool is_kernel = true;                      // otherwise it only inspects a tensor, or allocates untouched memory
    bool needs_shapes = true;                   // it returns more than the arguments that it writes to
    bool picks_by_mask = false;                 // masked_select
    bool chooses = false;                       // topk: where tokens go
    bool zeroes = false;                        // zero_
    bool overwrites = false;                    // does not read what it writes to
    std::optional<std::size_t> told_size;       // argument that may give the size of its result: repeat_interleave
    const Kernel* own = nullptr;                // our kernel for meta tensors; null: PyTorch's
};
HollowTraits hollow_traits(const c10::OperatorHandle& op);

// Whether a GPU's host waits for values in this call, because the size of its result depends on them.
bool waits_for_numbers(const HollowTraits& traits, std::span<const c10::IValue> given);

// Whether a call has only strided host tensors, and its results are on the host.
bool is_of_host(std::span<const c10::IValue> given);

// Whether a call is skipped. Throws if its result's shape depends on values that do not exist.
bool is_skipped(const c10::OperatorHandle& op, const HollowTraits& traits, std::span<const c10::IValue> given);

// Whether any tensor that a call reads is hollow.
bool reads_hollow(const HollowTraits& traits, std::span<const c10::IValue> given);

// Adds the hollow results of a skipped call, on `device`. Returns false if PyTorch does not know their shapes.
using HollowResults = c10::SmallVector<c10::IValue, 4>;
bool give_hollow(const c10::OperatorHandle& op, const HollowTraits& traits, std::span<const c10::IValue> given,
                 c10::Device device, HollowResults& results);

// Marks the results of a call that ran. If it read hollow values, the tensors that it wrote to, or else its results,
// are hollow. Otherwise the tensors that it overwrote are known.
void mark_results(const HollowTraits& traits, std::span<const c10::IValue> given, std::span<const c10::IValue> results,
                  bool has_read_hollow);

// The memory of the results of a skipped call.

// Maps storages of a call's result shapes, which must outlive it, to memory. A tensor without known memory gets new
// memory of the size that PyTorch's kernel leaves: a mean squared error keeps that of all squares.
class Memories {
public:
    // Declares that tensors in this storage of the shapes are in this memory.
    void know(const c10::Storage& shape, const c10::Storage& memory);
    c10::Storage of(const at::Tensor& shape, c10::Device device);

private:
    struct Pair {
        const c10::StorageImpl* shape;
        c10::Storage memory;
    };
    c10::SmallVector<Pair, 4> all_;
};

}  // namespace sim::slot
