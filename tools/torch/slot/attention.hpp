// scaled_dot_product_attention as PyTorch chooses its kernel on a GPU, under the operators' own names: flash attention
// for half precision without a mask, the memory-efficient one else, and the operators that it is made of where neither
// can be.
//
// The numbers are those of PyTorch's flash attention for the CPU; shapes and strides of all results are a GPU's.
#pragma once

#include <torch/library.h>

namespace sim::slot {

void register_attention(torch::Library& library);

}  // namespace sim::slot
