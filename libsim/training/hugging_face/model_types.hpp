// Each model_type of a config.json has a function that converts it to a Transformer, which is not checked yet.
#pragma once

#include "libsim/training/hugging_face/config_keys.hpp"
#include "libsim/training/transformer.hpp"

#include <span>
#include <string_view>

namespace sim::training {

struct ModelType {
    std::string_view name;
    Transformer (*read)(const ConfigKeys& keys);
};

// In alphabetical order.
std::span<const ModelType> model_types();

// Reads the keys that most current decoders share: RMSNorm, rotary positions, gating, grouped queries; experts, latent
// attention and sliding windows if there are keys for them.
Transformer read_llama_like(const ConfigKeys& keys);
Transformer read_deepseek_v3(const ConfigKeys& keys);
Transformer read_qwen3(const ConfigKeys& keys);

// Models with linear or sparse attention. In hybrid_types.cpp.
Transformer read_deepseek_v32(const ConfigKeys& keys);
Transformer read_kimi_linear(const ConfigKeys& keys);
Transformer read_mamba2(const ConfigKeys& keys);
Transformer read_minimax(const ConfigKeys& keys);
Transformer read_nemotron_h(const ConfigKeys& keys);
Transformer read_qwen3_next(const ConfigKeys& keys);

// In gemma3n.cpp.
Transformer read_gemma3n(const ConfigKeys& keys);

// Models with an encoder, or of patches. In encoder_types.cpp.
Transformer read_dit(const ConfigKeys& keys);
Transformer read_t5(const ConfigKeys& keys);
Transformer read_vit(const ConfigKeys& keys);

// The patches of `side` x `side` pixels in a picture of size x size, and the numbers of one. Refuse what does not fit.
int patches_of(const ConfigKeys& keys, int size, int side);
int values_of_patch(const ConfigKeys& keys, int side, int channels);

// The pattern that layer_types lists, if `sliding` does not say the same: in the symbols of Transformer::pattern.
void read_listed_pattern(const ConfigKeys& keys, Transformer& model);

// The windows that layer_types lists per layer, if present.
SlidingWindow windows_of(const ConfigKeys& keys, int window, const SlidingWindow& unless_listed);

// The sequence length of the pretraining if the file gives it, otherwise max_position_embeddings.
int sequence_of(const ConfigKeys& keys);
// The key that gives it, such as "rope_scaling.original_max_position_embeddings"; empty if none does.
std::string sequence_key_of(const ConfigKeys& keys);

// hidden / heads, or 0 (which check_transformer() explains) if it is not a whole number.
int head_dim_of(int hidden, int heads);

}  // namespace sim::training
