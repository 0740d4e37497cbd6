// Each function lists the published models of related families, one per line, for presets.hpp.
#pragma once

#include "libsim/training/transformer.hpp"

#include <vector>

namespace sim::training {

// Models with LayerNorm and two feed-forward matrices: GPT-2, GPT-3, Megatron-LM's, BERT, MPT, OPT, BLOOM, Nemotron.
std::vector<Transformer> gpt_models();
// Models with RMSNorm, rotary positions and three feed-forward matrices: Llama, Mistral, Qwen, Gemma, Phi, OLMo.
std::vector<Transformer> llama_models();
// Mixture-of-experts models: Mixtral, Qwen3, gpt-oss, DeepSeek, Kimi, Llama 4, GLM.
std::vector<Transformer> expert_models();

}  // namespace sim::training
