// The reader of models whose layers have inputs of their own.
#include "libsim/training/hugging_face/model_types.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::training {

namespace {

// One width, or a list of one for each layer, which must be the same.
int width_of_layers(const ConfigKeys& keys) {
    if (!keys.has_list("intermediate_size")) {
        return keys.number("intermediate_size", 16'384);
    }
    const std::vector<int> widths = keys.numbers("intermediate_size");
    if (widths.empty() || std::any_of(widths.begin(), widths.end(), [&](int one) { return one != widths.front(); })) {
        keys.refuse("intermediate_size must be the same in all layers for ndsim");
    }
    return widths.front();
}

// The last layers have the keys and values of the last layer of their sort before them.
void share_keys(const ConfigKeys& keys, int shared, std::string& pattern) {
    const auto layers = static_cast<int>(pattern.size());
    if (shared >= layers) {
        keys.refuse(fmt::format("num_kv_shared_layers = {} must be less than num_hidden_layers = {}", shared, layers));
    }
    for (int layer = layers - shared; layer < layers; ++layer) {
        char& symbol = pattern[static_cast<std::size_t>(layer)];
        symbol = symbol == 'w' ? 'W' : 'F';
    }
}

}  // namespace

// Absent keys have the defaults of transformers' Gemma3nTextConfig.
Transformer read_gemma3n(const ConfigKeys& keys) {
    keys.pass_over({"activation_sparsity_pattern", "altup_active_idx", "altup_coef_clip", "altup_correct_scale",
                    "altup_lr_multiplier"});
    Transformer model;
    model.hidden = keys.number("hidden_size", 2048);
    model.layers = keys.number("num_hidden_layers", 35);
    model.heads = keys.number("num_attention_heads", 8);
    model.kv_heads = keys.number("num_key_value_heads", 2);
    model.head_dim = keys.number("head_dim", 256);
    model.ffn = width_of_layers(keys);
    model.vocabulary = keys.number("vocab_size", 262'400);
    model.sequence = sequence_key_of(keys).empty() ? 32'768 : sequence_of(keys);
    model.gated = true;
    model.rotary = true;
    model.qk_norms = true;
    model.biases = keys.flag("attention_bias", false);
    model.norm_biases = false;
    model.norms_per_layer = 4;
    model.tied_embeddings = keys.flag("tie_word_embeddings", true);
    model.sliding = {.window = keys.number("sliding_window", 512), .all_every = 5};
    model.per_layer = PerLayerInputs{.vocabulary = keys.number("vocab_size_per_layer_input", 262'144),
                                     .width = keys.number("hidden_size_per_layer_input", 256),
                                     .streams = keys.number("altup_num_inputs", 4),
                                     .rank = keys.number("laurel_rank", 64)};
    read_listed_pattern(keys, model);
    for (int layer = static_cast<int>(model.pattern.size()); layer < std::min(model.layers, most_layers); ++layer) {
        model.pattern += model.sliding.slides(layer) ? 'w' : 'f';
    }
    share_keys(keys, keys.number("num_kv_shared_layers", 15), model.pattern);
    return model;
}

}  // namespace sim::training
