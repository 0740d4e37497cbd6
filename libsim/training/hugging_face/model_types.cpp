#include "libsim/training/hugging_face/model_types.hpp"

#include <fmt/format.h>

namespace sim::training {

namespace {

// LayerNorm, biases, two matrices and keys for every head: GPT-2's parts under other names.
Transformer classic(int layers, int hidden, int heads, int ffn, int vocabulary, int sequence) {
    Transformer model;
    model.layers = layers;
    model.hidden = hidden;
    model.heads = heads;
    model.kv_heads = heads;
    model.head_dim = head_dim_of(hidden, heads);
    model.ffn = ffn;
    model.vocabulary = vocabulary;
    model.sequence = sequence;
    return model;
}

// A result that is too wide is refused later.
int four_times(int hidden) {
    return hidden > (1 << 28) ? 1 << 30 : 4 * hidden;
}

Transformer with_ties(Transformer model, const ConfigKeys& keys, bool default_value) {
    model.tied_embeddings = keys.flag("tie_word_embeddings", default_value);
    return model;
}

Transformer read_bert(const ConfigKeys& keys) {
    Transformer model =
        classic(keys.number("num_hidden_layers"), keys.number("hidden_size"), keys.number("num_attention_heads"),
                keys.number("intermediate_size"), keys.number("vocab_size"), keys.number("max_position_embeddings"));
    model.causal = false;
    model.learned_positions = true;
    model.embedding_norm = true;
    model.final_norm = false;
    model.token_types = keys.number("type_vocab_size", 2);
    return with_ties(model, keys, true);
}

Transformer read_bloom(const ConfigKeys& keys) {
    const int hidden = keys.number({"hidden_size", "n_embed"});
    Transformer model =
        classic(keys.number({"n_layer", "num_hidden_layers"}), hidden, keys.number({"n_head", "num_attention_heads"}),
                four_times(hidden), keys.number("vocab_size"), keys.number("seq_length", 2048));
    model.embedding_norm = true;
    return with_ties(model, keys, true);
}

Transformer read_falcon(const ConfigKeys& keys) {
    const int hidden = keys.number("hidden_size");
    const int heads = keys.number({"num_attention_heads", "n_head"});
    Transformer model = classic(keys.number({"num_hidden_layers", "n_layer"}), hidden, heads,
                                keys.number("ffn_hidden_size", four_times(hidden)), keys.number("vocab_size"),
                                keys.number("max_position_embeddings", 2048));
    const bool two_norms = keys.flag("new_decoder_architecture", false);
    if (two_norms) {
        model.kv_heads = keys.number("num_kv_heads", heads);
    } else if (keys.flag("multi_query", true)) {
        model.kv_heads = 1;
    }
    const bool one_norm = !two_norms && keys.flag("parallel_attn", true);
    model.norms_per_layer = keys.number("num_ln_in_parallel_attn", one_norm ? 1 : 2);
    model.parallel_block = two_norms || one_norm;
    model.biases = keys.flag("bias", false);
    model.rotary = !keys.flag("alibi", false);
    return with_ties(model, keys, true);
}

Transformer read_gemma(const ConfigKeys& keys) {
    Transformer model = read_llama_like(keys);
    model.head_dim = keys.number("head_dim", 256);
    return with_ties(model, keys, true);
}

Transformer read_gemma2(const ConfigKeys& keys) {
    Transformer model = read_gemma(keys);
    model.norms_per_layer = 4;
    if (!keys.has("layer_types")) {
        model.sliding = {.window = keys.number("sliding_window", 4096), .every = 2};
    }
    return model;
}

// A multimodal model's text_config lists only the differences from these defaults (transformers, Gemma3TextConfig).
Transformer read_gemma3(const ConfigKeys& keys) {
    Transformer model;
    model.hidden = keys.number("hidden_size", 2304);
    model.layers = keys.number("num_hidden_layers", 26);
    model.heads = keys.number("num_attention_heads", 8);
    model.kv_heads = keys.number("num_key_value_heads", 4);
    model.head_dim = keys.number("head_dim", 256);
    model.ffn = keys.number("intermediate_size", 9216);
    model.vocabulary = keys.number("vocab_size", 262'208);
    model.sequence = sequence_key_of(keys).empty() ? 131'072 : sequence_of(keys);
    model.gated = true;
    model.rotary = true;
    model.qk_norms = true;
    model.biases = keys.flag("attention_bias", false);
    model.norm_biases = false;
    model.norms_per_layer = 4;
    const int window = keys.number("sliding_window", 4096);
    const int pattern = keys.number("sliding_window_pattern", 6);
    model.sliding = windows_of(keys, window, {.window = window, .all_every = pattern});
    return with_ties(model, keys, true);
}

// The dense models; norms before and after each part.
Transformer read_glm4(const ConfigKeys& keys) {
    Transformer model = read_llama_like(keys);
    model.norms_per_layer = 4;
    return model;
}

Transformer read_glm4_moe(const ConfigKeys& keys) {
    Transformer model = read_llama_like(keys);
    model.qk_norms = keys.flag("use_qk_norm", false);
    model.experts.router_bias = model.experts.count > 0;
    return model;
}

Transformer read_gpt2(const ConfigKeys& keys) {
    const int hidden = keys.number("n_embd");
    Transformer model =
        classic(keys.number("n_layer"), hidden, keys.number("n_head"), keys.number("n_inner", four_times(hidden)),
                keys.number("vocab_size"), keys.number({"n_positions", "n_ctx"}));
    model.learned_positions = true;
    return with_ties(model, keys, true);
}

Transformer read_gpt_neox(const ConfigKeys& keys) {
    Transformer model =
        classic(keys.number("num_hidden_layers"), keys.number("hidden_size"), keys.number("num_attention_heads"),
                keys.number("intermediate_size"), keys.number("vocab_size"), keys.number("max_position_embeddings"));
    model.rotary = true;
    model.parallel_block = keys.flag("use_parallel_residual", true);
    return with_ties(model, keys, false);
}

Transformer read_gpt_oss(const ConfigKeys& keys) {
    Transformer model = read_llama_like(keys);
    model.biases = keys.flag("attention_bias", true);
    model.qkv_biases = false;
    model.attention_sinks = true;
    model.experts.router_bias = model.experts.count > 0;
    if (!keys.has("layer_types") && model.sliding.window > 0) {
        model.sliding.every = 2;
    }
    return model;
}

// One shared expert besides the routed ones; layers without experts have their own width. Three of four layers attend
// within chunks, the others have no positions.
Transformer read_llama4(const ConfigKeys& keys) {
    Transformer model = read_llama_like(keys);
    const int step = std::max(1, keys.number("interleave_moe_layer_step", 1));
    model.ffn = keys.number("intermediate_size_mlp", model.ffn);
    model.experts.shared = model.experts.count > 0 ? 1 : 0;
    model.experts.every = step;
    model.experts.dense_layers = step - 1;
    const std::vector<int> listed = keys.numbers("moe_layers");
    for (std::size_t i = 0; i < listed.size(); ++i) {
        if (!model.has_experts(listed[i]) || (i > 0 && listed[i] != listed[i - 1] + step)) {
            keys.refuse(
                fmt::format("moe_layers[{}] = {} does not fit interleave_moe_layer_step = {}", i, listed[i], step));
        }
    }
    const int chunk = keys.number("attention_chunk_size", 0);
    const int all_every = keys.number("no_rope_layer_interval", 4);
    keys.pass_over({"use_qk_norm", "attn_scale", "attn_temperature_tuning", "floor_scale", "for_llm_compressor"});
    model.sliding = windows_of(keys, chunk, {.window = chunk, .all_every = all_every});
    model.sliding.chunks = chunk > 0;
    model.sliding.rotary_only = chunk > 0;
    return model;
}

Transformer read_mpt(const ConfigKeys& keys) {
    const int hidden = keys.number("d_model");
    const int ratio = keys.number("expansion_ratio", 4);
    const bool wide = static_cast<std::int64_t>(hidden) * ratio > 1 << 30;
    Transformer model = classic(keys.number("n_layers"), hidden, keys.number("n_heads"),
                                wide ? 1 << 30 : ratio * hidden, keys.number("vocab_size"), keys.number("max_seq_len"));
    model.learned_positions = keys.flag("learned_pos_emb", true);
    if (keys.has_table("attn_config")) {
        const ConfigKeys attention = keys.table("attn_config");
        model.learned_positions = model.learned_positions && !attention.flag("alibi", false);
        model.rotary = attention.flag("rope", false);
        model.learned_positions = model.learned_positions && !model.rotary;
        const bool one = attention.text("attn_type", "multihead_attention") == "multiquery_attention";
        model.kv_heads = attention.number("kv_n_heads", one ? 1 : model.heads);
    }
    model.biases = !keys.flag("no_bias", false);
    model.norm_biases = model.biases;
    return with_ties(model, keys, true);
}

Transformer read_nemotron(const ConfigKeys& keys) {
    Transformer model = read_llama_like(keys);
    model.gated = false;
    model.norm_biases = true;
    return model;
}

// Norms after both parts instead of before them.
Transformer read_olmo2(const ConfigKeys& keys) {
    Transformer model = read_llama_like(keys);
    model.qk_norms = true;
    model.wide_qk_norms = true;
    return model;
}

Transformer read_opt(const ConfigKeys& keys) {
    const int hidden = keys.number("hidden_size");
    if (keys.number("word_embed_proj_dim", hidden) != hidden) {
        keys.refuse(fmt::format("word_embed_proj_dim = {} is not hidden_size = {}: no shape that ndsim knows",
                                keys.number("word_embed_proj_dim"), hidden));
    }
    Transformer model =
        classic(keys.number("num_hidden_layers"), hidden, keys.number("num_attention_heads"), keys.number("ffn_dim"),
                keys.number("vocab_size"), keys.number("max_position_embeddings"));
    model.learned_positions = true;
    model.biases = keys.flag("enable_bias", true);
    model.final_norm = keys.flag("do_layer_norm_before", true);
    return with_ties(model, keys, true);
}

Transformer read_qwen2(const ConfigKeys& keys) {
    Transformer model = read_llama_like(keys);
    model.qkv_biases = keys.flag("qkv_bias", true);
    if (!keys.flag("use_sliding_window", false)) {
        model.sliding = {};
    }
    return model;
}

}  // namespace

Transformer read_deepseek_v3(const ConfigKeys& keys) {
    Transformer model = read_llama_like(keys);
    model.experts.router_bias = model.experts.count > 0 && keys.text("topk_method", "noaux_tc") == "noaux_tc";
    return model;
}

Transformer read_qwen3(const ConfigKeys& keys) {
    Transformer model = read_qwen2(keys);
    model.qkv_biases = keys.flag("attention_bias", false);
    model.qk_norms = true;
    return model;
}

namespace {

constexpr ModelType types[] = {
    {"DiTTransformer2DModel", read_dit},
    {"bert", read_bert},
    {"bloom", read_bloom},
    {"deepseek_v2", read_llama_like},
    {"deepseek_v3", read_deepseek_v3},
    {"deepseek_v32", read_deepseek_v32},
    {"falcon", read_falcon},
    {"gemma", read_gemma},
    {"gemma2", read_gemma2},
    {"gemma3", read_gemma3},
    {"gemma3_text", read_gemma3},
    {"gemma3n", read_gemma3n},
    {"gemma3n_text", read_gemma3n},
    {"glm4", read_glm4},
    {"glm4_moe", read_glm4_moe},
    {"glm_moe_dsa", read_deepseek_v32},
    {"gpt2", read_gpt2},
    {"gpt_neox", read_gpt_neox},
    {"gpt_oss", read_gpt_oss},
    {"kimi_k2", read_deepseek_v3},
    {"kimi_linear", read_kimi_linear},
    {"llama", read_llama_like},
    {"llama4", read_llama4},
    {"llama4_text", read_llama4},
    {"mamba2", read_mamba2},
    {"minimax", read_minimax},
    {"minimax_m1", read_minimax},
    {"minimax_text_01", read_minimax},
    {"mistral", read_llama_like},
    {"mixtral", read_llama_like},
    {"mpt", read_mpt},
    {"nemotron", read_nemotron},
    {"nemotron_h", read_nemotron_h},
    {"olmo2", read_olmo2},
    {"olmo3", read_olmo2},
    {"opt", read_opt},
    {"phi3", read_llama_like},
    {"qwen2", read_qwen2},
    {"qwen2_5_vl", read_qwen2},
    {"qwen2_5_vl_text", read_qwen2},
    {"qwen2_moe", read_qwen2},
    {"qwen3", read_qwen3},
    {"qwen3_moe", read_qwen3},
    {"qwen3_next", read_qwen3_next},
    {"qwen3_vl_moe_text", read_qwen3},
    {"qwen3_vl_text", read_qwen3},
    {"t5", read_t5},
    {"vit", read_vit},
};

}  // namespace

std::span<const ModelType> model_types() {
    return types;
}

}  // namespace sim::training
