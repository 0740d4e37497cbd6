// What a build of this PyTorch for CUDA has kernels for, and what is refused. Written by whoever compiles the slot,
// from the list that comes with PyTorch and from cuda_only.toml.
#pragma once

namespace sim::slot {

// Names without "aten::", with their overloads: "add.Tensor"; the last is null. (A const of a namespace is its file's
// own, if nothing says otherwise.)
extern const char* const cuda_operators[];
extern const char* const sparse_operators[];
extern const char* const sparse_csr_operators[];
extern const char* const nested_operators[];

// Operators that exist for CUDA alone and are not simulated.
struct Refusal {
    const char* name;  // null: the last
    const char* instead;
};
extern const Refusal refusals[];

}  // namespace sim::slot
