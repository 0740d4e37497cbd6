// The choice of a GPU kernel for scaled_dot_product_attention, by PyTorch's own rules (sdp_utils.cpp of its CUDA part):
// cuDNN's on Hopper and Blackwell if its version is new enough, flash attention for half precision without a mask, the
// memory-efficient one, and otherwise single operators.
#pragma once

#include <ATen/native/transformers/sdp_utils_cpp.h>
#include <torch/library.h>

namespace sim::slot {

void register_attention_choice(torch::Library& library);

}  // namespace sim::slot

// Functions that libtorch_python expects by these names from a build for CUDA. `debug` warns with the reason against.
namespace sdp {

bool is_flash_attention_available();
bool can_use_flash_attention(const sdp_params& params, bool debug);
bool can_use_mem_efficient_attention(const sdp_params& params, bool debug);
bool can_use_cudnn_attention(const sdp_params& params, bool debug);

}  // namespace sdp
