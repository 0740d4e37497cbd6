// Each function lists the published models of related families, a line each, for presets.hpp.
#pragma once

#include "libsim/training/transformer.hpp"

#include <vector>

namespace sim::training {

// Models with LayerNorm and two matrices in the feed-forward part: GPT-2, GPT-3, Megatron-LM's, BERT, MPT, OPT, BLOOM,
// Nemotron.
std::vector<Transformer> gpt_models();
// Models with RMSNorm, rotary positions and three matrices: Llama, Mistral, Qwen, Gemma, Phi, OLMo.
std::vector<Transformer> llama_models();
// Models with experts: Mixtral, Qwen3, gpt-oss, DeepSeek, Kimi, Llama 4, GLM.
std::vector<Transformer> expert_models();

}  // namespace sim::training
