// The operators that a CUDA build of this PyTorch has kernels for, and the refused ones. The builder of the slot
// generates the definitions from the list that comes with PyTorch and from cuda_only.toml.
#pragma once

namespace sim::slot {

// Names without "aten::", with their overloads: "add.Tensor"; null ends the list. (Without extern, a const would have
// internal linkage.)
extern const char* const cuda_operators[];
extern const char* const sparse_operators[];
extern const char* const sparse_csr_operators[];
extern const char* const nested_operators[];

// An operator that exists only for CUDA and is not simulated.
struct Refusal {
    const char* name;  // null ends the list
    const char* instead;
};
extern const Refusal refusals[];

}  // namespace sim::slot
