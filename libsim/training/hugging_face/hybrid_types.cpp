// Readers of models whose layers differ: linear attention beside full attention, layers of one part, sparse attention.
#include "libsim/training/hugging_face/model_types.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::training {

namespace {

// `count` layers with linear attention, at most as many as a model may have.
std::string linear_layers(int count) {
    return std::string(static_cast<std::size_t>(std::clamp(count, 0, most_layers)), 'l');
}

Transformer without_positions(Transformer model) {
    model.rotary = false;
    return model;
}

// The feed-forward parts and tables of Mamba's descendants.
Transformer plain(const ConfigKeys& keys) {
    Transformer model;
    model.hidden = keys.number("hidden_size");
    model.layers = keys.number("num_hidden_layers");
    model.vocabulary = keys.number("vocab_size");
    model.biases = keys.flag("use_bias", false);
    model.norm_biases = false;
    return model;
}

LinearAttention scan_of_mamba2(const ConfigKeys& keys, int heads, int head_dim, int state) {
    return {.kind = LinearKind::mamba2,
            .heads = heads,
            .key_heads = keys.number("n_groups", 1),
            .key_dim = state,
            .value_dim = head_dim,
            .convolution = keys.number("conv_kernel", 4),
            .chunk = keys.number("chunk_size", 256)};
}

void check_expansion(const ConfigKeys& keys, const Transformer& model) {
    const std::int64_t inner = model.linear->value_width();
    if (!keys.flag("use_conv_bias", true)) {
        keys.refuse("use_conv_bias = false: ndsim knows Mamba 2 with biases in its convolution only");
    }
    if (keys.has("expand") && !keys.has("mamba_num_heads") &&
        keys.number("expand") * std::int64_t{model.hidden} != inner) {
        keys.refuse(fmt::format("expand = {} times hidden_size = {} is not num_heads x head_dim = {}",
                                keys.number("expand"), model.hidden, inner));
    }
}

// hybrid_override_pattern is in the symbols of Transformer::pattern; newer files list words.
std::string pattern_of_blocks(const ConfigKeys& keys) {
    keys.pass_over({"layers_block_type"});
    if (keys.has("hybrid_override_pattern")) {
        return keys.text("hybrid_override_pattern", "");
    }
    std::string pattern;
    for (const std::string& block : keys.texts("layers_block_type")) {
        pattern += block == "mamba" ? 'M' : block == "mlp" ? '-' : block == "moe" ? 'E' : '*';
        if (pattern.back() == '*' && block != "attention") {
            keys.refuse(fmt::format("layers_block_type has \"{}\": it must be mamba, mlp, moe or attention", block));
        }
    }
    return pattern;
}

}  // namespace

Transformer read_deepseek_v32(const ConfigKeys& keys) {
    Transformer model = read_deepseek_v3(keys);
    model.sparse = SparseAttention{.heads = keys.number("index_n_heads"),
                                   .dim = keys.number("index_head_dim"),
                                   .top_k = keys.number("index_topk")};
    return model;
}

Transformer read_kimi_linear(const ConfigKeys& keys) {
    keys.pass_over({"head_dim", "mla_use_nope", "moe_renormalize", "moe_router_activation_func", "num_expert_group",
                    "topk_group", "use_grouped_topk", "model_max_length"});
    Transformer model = read_llama_like(keys);
    model.experts.shared = keys.number("num_shared_experts", 0);
    model.experts.router_bias = model.experts.count > 0;
    model.rotary = !keys.flag("mla_use_nope", false);
    const ConfigKeys linear = keys.table("linear_attn_config");
    if (linear.flag("use_full_rank_gate", false)) {
        keys.refuse("linear_attn_config: use_full_rank_gate = true: ndsim knows gates of low rank only");
    }
    const int heads = linear.number("num_heads");
    const int dim = linear.number("head_dim");
    model.linear = LinearAttention{.kind = LinearKind::kimi_delta,
                                   .heads = heads,
                                   .key_heads = heads,
                                   .key_dim = dim,
                                   .value_dim = dim,
                                   .convolution = linear.number("short_conv_kernel_size", 4)};
    model.pattern = linear_layers(model.layers);
    for (const int layer : linear.numbers("full_attn_layers")) {  // counted from 1
        if (layer < 1 || layer > std::ssize(model.pattern)) {
            keys.refuse(fmt::format("linear_attn_config: full_attn_layers has {}, and there are {} layers", layer,
                                    model.layers));
        }
        model.pattern[static_cast<std::size_t>(layer) - 1] = 'f';
    }
    return model;
}

Transformer read_mamba2(const ConfigKeys& keys) {
    keys.pass_over({"n_groups", "rms_norm", "time_step_rank", "residual_in_fp32"});
    Transformer model = plain(keys);
    model.linear = scan_of_mamba2(keys, keys.number("num_heads"), keys.number("head_dim"), keys.number("state_size"));
    check_expansion(keys, model);
    model.heads = model.kv_heads = model.linear->heads;
    model.head_dim = std::max(1, head_dim_of(model.hidden, model.heads));
    model.sequence = keys.number("max_position_embeddings", 2048);
    model.pattern = "M";
    model.tied_embeddings = keys.flag("tie_word_embeddings", false);
    return model;
}

// attn_type_list has 0 for lightning attention and 1 for attention with a softmax.
Transformer read_minimax(const ConfigKeys& keys) {
    keys.pass_over({"shared_intermediate_size", "shared_moe_mode", "postnorm", "rotary_dim", "block_size",
                    "layernorm_full_attention_alpha", "layernorm_full_attention_beta",
                    "layernorm_linear_attention_alpha", "layernorm_linear_attention_beta", "layernorm_mlp_alpha",
                    "layernorm_mlp_beta", "full_attn_alpha_factor", "full_attn_beta_factor", "linear_attn_alpha_factor",
                    "linear_attn_beta_factor", "mlp_alpha_factor", "mlp_beta_factor"});
    Transformer model = read_llama_like(keys);
    model.linear = LinearAttention{.kind = LinearKind::lightning,
                                   .heads = model.heads,
                                   .key_heads = model.heads,
                                   .key_dim = model.head_dim,
                                   .value_dim = model.head_dim,
                                   .chunk = keys.number("block_size", 256)};
    for (const int kind : keys.numbers("attn_type_list")) {
        model.pattern += kind == 0 ? 'l' : 'f';
    }
    read_listed_pattern(keys, model);  // of the models that transformers knows
    if (model.pattern.empty()) {
        keys.refuse("attn_type_list is missing: the kind of attention of each layer");
    }
    if (std::ssize(model.pattern) != model.layers) {
        keys.refuse(fmt::format("attn_type_list has {} layers, and num_hidden_layers = {}", model.pattern.size(),
                                model.layers));
    }
    return model;
}

Transformer read_nemotron_h(const ConfigKeys& keys) {
    keys.pass_over({"expand", "n_groups", "num_logits_to_keep", "rescale_prenorm_residual", "residual_in_fp32",
                    "mamba_hidden_act", "mlp_hidden_act", "mamba_proj_bias", "moe_shared_expert_overlap", "norm_eps",
                    "n_group", "topk_group", "mamba_ssm_cache_dtype", "intermediate_size", "sliding_window"});
    Transformer model = plain(keys);
    model.heads = keys.number("num_attention_heads");
    model.kv_heads = keys.number("num_key_value_heads", model.heads);
    model.head_dim = keys.number({"attention_head_dim", "head_dim"});
    model.ffn = keys.number("intermediate_size", 0);
    model.sequence = sequence_of(keys);
    model.tied_embeddings = keys.flag("tie_word_embeddings", false);
    model.qkv_biases = keys.flag("attention_bias", false);
    model.biases = keys.flag("mlp_bias", false) || model.biases;
    model.linear = scan_of_mamba2(keys, keys.number("mamba_num_heads"), keys.number("mamba_head_dim"),
                                  keys.number("ssm_state_size"));
    check_expansion(keys, model);
    model.pattern = pattern_of_blocks(keys);
    if (std::ssize(model.pattern) != model.layers) {
        keys.refuse(fmt::format("hybrid_override_pattern has {} layers, and num_hidden_layers = {}",
                                model.pattern.size(), model.layers));
    }
    if (model.pattern.find('E') != std::string::npos) {
        model.experts.count = keys.number("n_routed_experts");
        model.experts.top_k = keys.number("num_experts_per_tok");
        model.experts.ffn = keys.number("moe_intermediate_size");
        model.experts.router_bias = true;
        const int shared =
            keys.number("n_shared_experts", 0) * keys.number("moe_shared_expert_intermediate_size", model.experts.ffn);
        if (model.experts.ffn == 0 || shared % model.experts.ffn != 0) {
            keys.refuse("moe_shared_expert_intermediate_size must be a multiple of moe_intermediate_size for ndsim");
        }
        model.experts.shared = shared / model.experts.ffn;
    }
    return without_positions(model);
}

Transformer read_qwen3_next(const ConfigKeys& keys) {
    Transformer model = read_qwen3(keys);
    model.attention_gate = true;
    model.experts.shared_gate = model.experts.shared > 0;
    model.linear = LinearAttention{.kind = LinearKind::gated_delta,
                                   .heads = keys.number("linear_num_value_heads"),
                                   .key_heads = keys.number("linear_num_key_heads"),
                                   .key_dim = keys.number("linear_key_head_dim"),
                                   .value_dim = keys.number("linear_value_head_dim"),
                                   .convolution = keys.number("linear_conv_kernel_dim", 4)};
    read_listed_pattern(keys, model);
    if (model.pattern.empty()) {
        model.pattern = linear_layers(keys.number("full_attention_interval", 4) - 1) + 'f';
    }
    keys.pass_over({"full_attention_interval"});
    return model;
}

}  // namespace sim::training
