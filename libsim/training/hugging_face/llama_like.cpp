#include "libsim/training/hugging_face/model_types.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::training {

namespace {

bool slides(const std::string& type) {
    return type == "sliding_attention" || type == "chunked_attention";
}

// layer_types lists "sliding_attention" (Llama 4: "chunked_attention") and "full_attention" for every layer. If no rule
// says the same, all layers slide, and read_listed_pattern() says which do.
SlidingWindow listed_windows(const ConfigKeys& keys, int window) {
    const std::vector<std::string> types = keys.texts("layer_types");
    const auto first = std::find_if(types.begin(), types.end(), slides);
    if (first == types.end()) {
        return {};
    }
    const auto full = static_cast<int>(std::find_if_not(types.begin(), types.end(), slides) - types.begin());
    const auto second = static_cast<int>(std::find_if(first + 1, types.end(), slides) - types.begin());
    const int layers = static_cast<int>(types.size());
    for (const SlidingWindow& rule :
         {SlidingWindow{.window = window, .every = second}, {.window = window, .all_every = full + 1}}) {
        int layer = 0;
        while (layer < layers && slides(types[static_cast<std::size_t>(layer)]) == rule.slides(layer)) {
            ++layer;
        }
        if (layer == layers) {
            return rule;
        }
    }
    return {.window = window};
}

SlidingWindow windows_of(const ConfigKeys& keys) {
    const int window = keys.flag("use_sliding_window", true) ? keys.number("sliding_window", 0) : 0;
    if (window == 0) {
        return {};
    }
    return windows_of(keys, window, {.window = window});
}

// The width of shared experts is given as a number of experts (DeepSeek) or as their sum (Qwen2-MoE).
int shared_experts(const ConfigKeys& keys, int ffn) {
    if (!keys.has("shared_expert_intermediate_size")) {
        return keys.number("n_shared_experts", 0);
    }
    const int width = keys.number("shared_expert_intermediate_size");
    if (ffn == 0 || width % ffn != 0) {
        keys.refuse(fmt::format(
            "shared_expert_intermediate_size = {} must be a multiple of moe_intermediate_size = {} for ndsim", width,
            ffn));
    }
    return width / ffn;
}

// Reads which layers are dense: the first ones, and all but every n-th.
void read_dense_layers(const ConfigKeys& keys, Experts& experts) {
    const std::vector<int> dense = keys.numbers("mlp_only_layers");
    for (std::size_t i = 0; i < dense.size(); ++i) {
        if (dense[i] != static_cast<int>(i)) {
            keys.refuse("mlp_only_layers must be the first layers, 0, 1, …, for ndsim");
        }
    }
    const int first = keys.number("first_k_dense_replace", static_cast<int>(dense.size()));
    // DeepSeek has experts if the layer is a multiple of this, Qwen if the layer + 1 is.
    const int frequency = std::max(1, keys.number("moe_layer_freq", 1));
    const int step = std::max(1, keys.number("decoder_sparse_step", 1));
    experts.every = std::max(frequency, step);
    const int offset = step > 1 ? step - 1 : 0;
    experts.dense_layers = offset + (std::max(0, first - offset) + experts.every - 1) / experts.every * experts.every;
}

Experts experts_of(const ConfigKeys& keys) {
    Experts experts;
    // Synonyms are often both present, and some are meaningless for a model without experts.
    keys.pass_over({"n_routed_experts", "num_local_experts", "num_experts", "num_experts_per_tok",
                    "num_experts_per_token", "experts_per_token", "moe_intermediate_size", "moe_layer_freq",
                    "n_shared_experts", "shared_expert_intermediate_size", "decoder_sparse_step", "mlp_only_layers",
                    "first_k_dense_replace", "n_group", "topk_group", "topk_method"});
    const bool any = keys.has("n_routed_experts") || keys.has("num_local_experts") || keys.has("num_experts");
    if (!any) {
        return experts;
    }
    experts.count = keys.number({"n_routed_experts", "num_local_experts", "num_experts"});
    if (experts.count == 0) {
        return experts;
    }
    experts.top_k = keys.number({"num_experts_per_tok", "experts_per_token", "num_experts_per_token"});
    experts.ffn = keys.number({"moe_intermediate_size", "intermediate_size"});
    experts.shared = shared_experts(keys, experts.ffn);
    read_dense_layers(keys, experts);
    if (keys.number("n_group", 1) > 1 && keys.text("topk_method", "") != "greedy") {
        experts.groups = keys.number({"n_group"});
        experts.groups_per_token = keys.number({"topk_group"});
    }
    return experts;
}

void read_latent(const ConfigKeys& keys, Transformer& model) {
    model.latent = LatentAttention{.query_rank = keys.number("q_lora_rank", 0),
                                   .key_value_rank = keys.number("kv_lora_rank"),
                                   .plain_dim = keys.number("qk_nope_head_dim"),
                                   .rotary_dim = keys.number("qk_rope_head_dim"),
                                   .value_dim = keys.number("v_head_dim")};
    model.kv_heads = model.heads;
    model.head_dim = model.latent->plain_dim + model.latent->rotary_dim;
}

}  // namespace

SlidingWindow windows_of(const ConfigKeys& keys, int window, const SlidingWindow& unless_listed) {
    return window > 0 && keys.has("layer_types") ? listed_windows(keys, window) : unless_listed;
}

void read_listed_pattern(const ConfigKeys& keys, Transformer& model) {
    const std::vector<std::string> types = keys.texts("layer_types");
    std::string pattern;
    bool is_ruled = true;
    for (const std::string& type : types) {
        const int layer = static_cast<int>(pattern.size());
        pattern += type == "linear_attention" ? 'l' : slides(type) && model.sliding.window > 0 ? 'w' : 'f';
        is_ruled = is_ruled && pattern.back() == (model.sliding.slides(layer) ? 'w' : 'f');
    }
    if (!is_ruled && std::ssize(types) == model.layers) {
        model.pattern = pattern;
    }
}

int head_dim_of(int hidden, int heads) {
    return heads > 0 && hidden % heads == 0 ? hidden / heads : 0;
}

std::string sequence_key_of(const ConfigKeys& keys) {
    constexpr const char* original = "original_max_position_embeddings";
    for (const char* table : {"rope_scaling", "rope_parameters"}) {
        if (keys.has_table(table) && keys.table(table).has(original)) {
            return fmt::format("{}.{}", table, original);
        }
    }
    for (const char* key : {original, "initial_context_length", "max_position_embeddings", "n_positions", "n_ctx",
                            "seq_length", "max_seq_len"}) {
        if (keys.has(key)) {
            return key;
        }
    }
    return "";
}

int sequence_of(const ConfigKeys& keys) {
    const std::string key = sequence_key_of(keys);
    if (const std::size_t dot = key.find('.'); dot != std::string::npos) {
        return keys.table(key.substr(0, dot).c_str()).number(key.substr(dot + 1).c_str());
    }
    return keys.number({"original_max_position_embeddings", "initial_context_length", "max_position_embeddings"});
}

Transformer read_llama_like(const ConfigKeys& keys) {
    // Not read if other keys are present.
    keys.pass_over({"max_position_embeddings", "mlp_bias", "sliding_window"});
    Transformer model;
    model.hidden = keys.number("hidden_size");
    model.layers = keys.number("num_hidden_layers");
    model.heads = keys.number("num_attention_heads");
    model.ffn = keys.number("intermediate_size");
    model.kv_heads = keys.number("num_key_value_heads", model.heads);
    model.head_dim = keys.number("head_dim", head_dim_of(model.hidden, model.heads));
    model.vocabulary = keys.number("vocab_size");
    model.sequence = sequence_of(keys);
    model.gated = true;
    model.rotary = true;
    model.norm_biases = false;
    model.tied_embeddings = keys.flag("tie_word_embeddings", false);
    model.qkv_biases = keys.flag("attention_bias", false);
    model.biases = model.qkv_biases && keys.flag("mlp_bias", false);
    model.experts = experts_of(keys);
    model.sliding = windows_of(keys);
    model.mtp_layers = keys.number("num_nextn_predict_layers", 0);
    if (keys.has("kv_lora_rank")) {
        read_latent(keys, model);
    }
    return model;
}

}  // namespace sim::training
