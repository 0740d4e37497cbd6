// Which of a GPU's kernels scaled_dot_product_attention takes, by the rules of PyTorch's own (sdp_utils.cpp of its CUDA
// part): cuDNN's on Hopper and Blackwell where its version is new enough, flash attention for half precision without a
// mask, the memory-efficient one, and else the operators that it stands for.
#pragma once

#include <ATen/native/transformers/sdp_utils_cpp.h>
#include <torch/library.h>

namespace sim::slot {

void register_attention_choice(torch::Library& library);

}  // namespace sim::slot

// What libtorch_python asks of a build for CUDA by these names. `debug`: a warning says what speaks against it.
namespace sdp {

bool is_flash_attention_available();
bool can_use_flash_attention(const sdp_params& params, bool debug);
bool can_use_mem_efficient_attention(const sdp_params& params, bool debug);
bool can_use_cudnn_attention(const sdp_params& params, bool debug);

}  // namespace sdp
