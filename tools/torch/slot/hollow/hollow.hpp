// Hollow runs: tensors have a shape, a time and their memory on the simulated GPU, and no numbers.
//
// An operator on a large tensor of real numbers does not run: what it gives back has the right shape, on memory that
// nobody touches. Small tensors are computed, on zeros where they come from large ones, so that a program's own
// bookkeeping goes on; so are large ones of whole numbers and truth values that come from such alone, since they tell
// where tokens go and how large things are. What comes from numbers that were never computed is hollow, and known as
// such, on the host, too.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>

namespace sim::slot {

bool is_hollow_run();

// A tensor from so many bytes on is large.
constexpr std::size_t large_bytes = std::size_t{1} << 16U;
inline bool is_large(std::size_t bytes) {
    return bytes >= large_bytes;
}
bool is_large(const at::Tensor& tensor);
// Whether its numbers are worth computing, where it is large: whole ones, up to a size.
bool is_countable(const at::Tensor& tensor);

// What other ranks send there has come: it would come behind what a call writes to it.
void wait_for_numbers(const at::Tensor& tensor);

// Whether its numbers, or some of them, were never computed.
bool is_hollow(const at::Tensor& tensor);
// Whether there are no numbers at all, not even made-up ones: it is large.
bool lacks_numbers(const at::Tensor& tensor);
// A call that would have written to it did not run, or ran on made-up numbers, or wrote all of it from known ones.
void mark_skipped(const at::Tensor& tensor);
void mark_made_up(const at::Tensor& tensor);
void mark_known(const at::Tensor& tensor);
// A large tensor was filled with zeros, and no other was computed: they are put there where whole numbers are made of
// them.
void mark_zeros(const at::Tensor& tensor);
bool is_zeros(const at::Tensor& tensor);
void fill_in_zeros(const at::Tensor& tensor);

// Of one GPU, or of a GPU and the host: numbers are copied where they are small, and hollow where they come from hollow
// ones. Real numbers of the host that come from hollow ones are no numbers (nan).
void copy_hollow(const at::Tensor& to, const at::Tensor& from);

}  // namespace sim::slot
