// The choices of a GPU's kernel for an operator, by PyTorch's own rules, which its dispatcher does not know.
#pragma once

#include <ATen/native/transformers/sdp_utils_cpp.h>
#include <torch/library.h>

namespace sim::slot {

// For scaled_dot_product_attention (sdp_utils.cpp of PyTorch's CUDA part): cuDNN's on Hopper and Blackwell if its
// version is new enough, flash attention for half precision without a mask, the memory-efficient one, and otherwise
// single operators.
void register_attention_choice(torch::Library& library);

// A convolution with a bias, which on a GPU is cuDNN's convolution and then an addition. The CPU computes both in one
// kernel, so that the results equal those of a script on the CPU; the price is that of the two kernels in sequence.
void register_convolution(torch::Library& library);

// cuDNN's kernel for torch.nn.functional.ctc_loss.
void register_ctc_choice(torch::Library& library);

// at::lstm, at::gru and at::rnn_*: cuDNN's recurrent layers, with the weights in its buffer.
void register_recurrent_weights(torch::Library& library);
// For the autocast key: recurrent layers run in half precision.
void register_recurrent_autocast(torch::Library& library);

}  // namespace sim::slot

// Functions that libtorch_python expects by these names from a build for CUDA. `debug` warns with the reason against.
namespace sdp {

bool is_flash_attention_available();
bool can_use_flash_attention(const sdp_params& params, bool debug);
bool can_use_mem_efficient_attention(const sdp_params& params, bool debug);
bool can_use_cudnn_attention(const sdp_params& params, bool debug);

}  // namespace sdp
