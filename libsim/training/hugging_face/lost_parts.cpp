#include "libsim/training/hugging_face/lost_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace sim::training {

namespace {

// The part that keys beginning with `begins`, or containing `within`, belong to.
struct LostPart {
    std::string_view begins;
    std::string_view within;
    std::string_view part;
};

constexpr std::string_view linear = "linear attention";
constexpr std::string_view sparse = "sparse attention";
constexpr std::string_view no_attention = "layers that are no attention";
constexpr std::string_view experts = "experts";
constexpr std::string_view shared_layers = "layers that share or alter each other's values";

// transformers, modeling_*.py: Qwen3-Next, Kimi Linear, MiniMax; DeepSeek-V3.2; Mamba, Jamba, Zamba, Nemotron-H, LFM2,
// RecurrentGemma; Llama 3.2 with pictures; Gemma 3n; ERNIE, Hunyuan, GraniteMoe.
constexpr std::array lost_parts{
    LostPart{"linear_", "", linear},
    LostPart{"lightning", "", linear},
    LostPart{"index_", "", sparse},
    LostPart{"sparse_attention", "", sparse},
    LostPart{"sparse_config", "", sparse},
    LostPart{"moba_", "", sparse},
    LostPart{"nsa_", "", sparse},
    LostPart{"mamba_", "", no_attention},
    LostPart{"ssm_", "", no_attention},
    LostPart{"conv_L_cache", "", no_attention},
    LostPart{"conv_kernel", "", no_attention},
    LostPart{"state_size", "", no_attention},
    LostPart{"lru_width", "", no_attention},
    LostPart{"attn_layer_period", "", no_attention},
    LostPart{"hybrid_", "", no_attention},
    LostPart{"layers_block_type", "", no_attention},
    LostPart{"block_types", "", no_attention},
    LostPart{"rwkv", "", no_attention},
    LostPart{"cross_attention_layers", "", "cross attention"},
    LostPart{"is_encoder_decoder", "", "an encoder"},
    LostPart{"altup_", "", shared_layers},
    LostPart{"laurel_", "", shared_layers},
    LostPart{"num_kv_shared_layers", "", shared_layers},
    LostPart{"", "expert", experts},
    LostPart{"moe_", "", experts},
    LostPart{"shared_intermediate_size", "", experts},
};

// Keys about a checkpoint's training, text and numbers, not about its shape.
constexpr std::array without_consequence{
    std::string_view("_attn_implementation"),
    std::string_view("_name_or_path"),
    std::string_view("add_bos_token"),
    std::string_view("architectures"),
    std::string_view("attention_dropout"),
    std::string_view("auto_map"),
    std::string_view("aux_loss_alpha"),
    std::string_view("bos_token_id"),
    std::string_view("dtype"),
    std::string_view("embd_pdrop"),
    std::string_view("eos_token_id"),
    std::string_view("ep_size"),
    std::string_view("hidden_act"),
    std::string_view("hidden_activation"),
    std::string_view("hidden_dropout"),
    std::string_view("initializer_range"),
    std::string_view("layer_norm_eps"),
    std::string_view("layer_norm_epsilon"),
    std::string_view("logits_scaling"),
    std::string_view("max_window_layers"),
    std::string_view("model_type"),
    std::string_view("moe_router_bias_update_speed"),
    std::string_view("no_rope_layers"),
    std::string_view("norm_topk_prob"),
    std::string_view("output_router_logits"),
    std::string_view("pad_token_id"),
    std::string_view("partial_rotary_factor"),
    std::string_view("pretraining_tp"),
    std::string_view("quantization_config"),
    std::string_view("query_pre_attn_scalar"),
    std::string_view("resid_pdrop"),
    std::string_view("rms_norm_eps"),
    std::string_view("rope_local_base_freq"),
    std::string_view("rope_parameters"),
    std::string_view("rope_scaling"),
    std::string_view("rope_theta"),
    std::string_view("routed_scaling_factor"),
    std::string_view("router_aux_loss_coef"),
    std::string_view("router_jitter_noise"),
    std::string_view("scoring_func"),
    std::string_view("seq_aux"),
    std::string_view("swiglu_limit"),
    std::string_view("torch_dtype"),
    std::string_view("transformers_version"),
    std::string_view("use_cache"),
    std::string_view("z_loss_coefficient"),
};

bool is_without_consequence(const std::string& key) {
    return std::find(without_consequence.begin(), without_consequence.end(), key) != without_consequence.end() ||
           key.ends_with("_token_id") || key.ends_with("_dropout") || key.ends_with("_multiplier") ||
           key.ends_with("_softcapping") || key.ends_with("_loss_coef");
}

const LostPart* part_of(const std::string& key) {
    const auto* const at = std::find_if(lost_parts.begin(), lost_parts.end(), [&](const LostPart& lost) {
        return key.starts_with(lost.begins) && key.find(lost.within) != std::string::npos;
    });
    return at == lost_parts.end() ? nullptr : &*at;
}

std::string model_of(const std::string& type) {
    return type.empty() ? "a model" : fmt::format("model_type \"{}\"", type);
}

[[noreturn]] void refuse_part(const ConfigKeys& keys, const std::string& type, std::string_view key,
                              std::string_view part) {
    keys.refuse(fmt::format("{} cannot be read: {} says that it has {}, which ndsim would leave out", model_of(type),
                            key, part));
}

void refuse_other_layers(const ConfigKeys& keys, const std::string& type, const Transformer& model) {
    for (const std::string& layer : keys.texts("layer_types")) {
        const bool is_linear = layer == "linear_attention" && model.linear;
        if (layer != "full_attention" && layer != "sliding_attention" && layer != "chunked_attention" && !is_linear) {
            refuse_part(keys, type, "layer_types", fmt::format("layers of {}", layer));
        }
    }
    const std::vector<int> kinds = keys.numbers("attn_type_list");
    if (std::find(kinds.begin(), kinds.end(), 0) != kinds.end() && !model.linear) {
        refuse_part(keys, type, "attn_type_list", linear);
    }
}

}  // namespace

void refuse_lost_parts(const ConfigKeys& keys, const std::string& type, const Transformer& model) {
    refuse_other_layers(keys, type, model);
    for (const std::string& key : keys_not_understood(keys)) {
        if (const LostPart* const lost = part_of(key)) {
            refuse_part(keys, type, key, lost->part);
        }
    }
}

std::vector<std::string> keys_not_understood(const ConfigKeys& keys) {
    std::vector<std::string> left = keys.not_asked_for();
    std::erase_if(left, [&](const std::string& key) { return !keys.is_set(key) || is_without_consequence(key); });
    return left;
}

}  // namespace sim::training
