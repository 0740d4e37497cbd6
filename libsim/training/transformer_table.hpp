// A transformer is read from TOML. The keys are the names of Transformer's fields:
//
//   [model]                     [model.experts]         [model.latent]           [model.sliding]
//   name = "mine"               count = 64              query_rank = 1536        window = 4096
//   layers = 24                 top_k = 6               key_value_rank = 512     every = 2
//   hidden = 2048               ffn = 1408              plain_dim = 128
//   ffn = 8192                  shared = 2              rotary_dim = 64
//   heads = 16                  dense_layers = 1        value_dim = 128
//   vocabulary = 50257          every = 1
//   sequence = 2048             router_bias = false
//   gated = false …
//
// Also [model.linear], [model.sparse], [model.patches], [model.conditioning], [model.encoder], [model.per_layer],
// [model.tower], which has the keys of a model as well, and pattern = "lllf".
//
// preset = "llama3-8b" (presets.hpp) supplies keys that are left out. Without it they have the defaults of Transformer,
// kv_heads is heads, and head_dim is hidden / heads. If a preset's kv_heads and head_dim follow these rules, they also
// follow the given keys.
#pragma once

#include "libsim/training/transformer.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sim::training {

// The keys are in [model] or at the top level. `where` is the file's name in errors. Throws ProgramError, one line with
// file, line, key, its allowed values, and the nearest known name.
Transformer transformer_of_toml(std::string_view text, const std::string& where);

// A published model, as the file of its family describes it.
struct PublishedModel {
    Transformer model;
    std::vector<std::string> aliases;  // names of other models with this shape
    std::string source;
    std::string parameters;  // as published: all digits ("8030261248"), rounded ("1.7B"), or "" if only by its name
};

// A family's file has the keys of a model at the top level, which hold for all its models, and a table in the list
// `models` for each, whose keys stand before those. `source` may be in both, `name`, `preset`, `aliases` and
// `parameters` in the list. Throws as above.
std::vector<PublishedModel> family_of_toml(std::string_view text, const std::string& where);

// Every field, in [model], so that later versions of ndsim read the same model. Reads back equal.
std::string transformer_toml(const Transformer& model);

}  // namespace sim::training
