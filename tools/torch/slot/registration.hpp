// The operators that have a CUDA kernel of their own in a build of this PyTorch for CUDA.
#pragma once

namespace sim::slot {

// Their names without "aten::", with their overloads: "add.Tensor"; the last is null. Written by whoever compiles the
// slot, from the list that comes with PyTorch. (A const of a namespace is its file's own, if nothing says otherwise.)
extern const char* const cuda_operators[];

}  // namespace sim::slot
