// Each model_type of a config.json has a function that turns it into a Transformer, not checked yet.
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

// With the keys that most decoders of today share: RMSNorm, rotary positions, gated; grouped queries, experts, latent
// attention and sliding windows where there are keys for them.
Transformer read_llama_like(const ConfigKeys& keys);

// As layer_types says it of each layer, where it is there.
SlidingWindow windows_of(const ConfigKeys& keys, int window, const SlidingWindow& unless_listed);

// The sequence length of the pretraining if the file gives it, otherwise max_position_embeddings.
int sequence_of(const ConfigKeys& keys);
// The key that says so, such as "rope_scaling.original_max_position_embeddings"; empty where none does.
std::string sequence_key_of(const ConfigKeys& keys);

// hidden / heads, or 0 (which check_transformer() explains) where that is none.
int head_dim_of(int hidden, int heads);

}  // namespace sim::training
