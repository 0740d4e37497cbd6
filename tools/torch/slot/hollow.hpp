// Hollow runs simulate shapes, times and GPU memory of tensors, but not their values.
//
// An operator on a large floating-point tensor is not computed: its results have the right shape, on memory that nobody
// touches. Small tensors are computed, from zeros if they depend on large ones, so that a program's own bookkeeping
// works. Large tensors of integers and booleans are computed if they depend only on such tensors, since they determine
// where tokens go and how large things are. Results that depend on values that were never computed are hollow and
// tracked as such, on the host, too.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>

namespace sim::slot {

bool is_hollow_run();

// A tensor with at least this many bytes is large.
constexpr std::size_t large_bytes = std::size_t{1} << 16U;
inline bool is_large(std::size_t bytes) {
    return bytes >= large_bytes;
}
bool is_large(const at::Tensor& tensor);
// Whether a large tensor is worth computing: integers, up to a size.
bool is_countable(const at::Tensor& tensor);

// Waits for data from other ranks, which would otherwise overwrite what a call writes.
void wait_for_numbers(const at::Tensor& tensor);

// Whether any of its values was never computed.
bool is_hollow(const at::Tensor& tensor);
// Whether it has no values at all, not even made-up ones, because it is large.
bool lacks_numbers(const at::Tensor& tensor);
// A call that writes to the tensor was skipped, or ran on made-up values, or wrote all of it from known values.
void mark_skipped(const at::Tensor& tensor);
void mark_made_up(const at::Tensor& tensor);
void mark_known(const at::Tensor& tensor);
// Marks a large tensor as zeros without writing them. fill_in_zeros() writes them when integers are computed from them.
void mark_zeros(const at::Tensor& tensor);
bool is_zeros(const at::Tensor& tensor);
void fill_in_zeros(const at::Tensor& tensor);

// Copies within a GPU or between GPU and host: small tensors with their values, which are hollow if the source is.
// Floating-point values on the host that come from hollow ones become nan.
void copy_hollow(const at::Tensor& to, const at::Tensor& from);

// Leaves large tensors of the host without values, too, so that a model that is created on the host and moved to the
// GPU takes no memory and no time on this computer. Takes effect from now on, in this thread and in PyTorch's threads
// that work for it. Requires: a hollow run.
void leave_host_hollow();

}  // namespace sim::slot
