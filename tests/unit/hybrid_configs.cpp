// config.json files of models whose layers differ, of encoders and of patches.
#include "libsim/error.hpp"
#include "libsim/training/hugging_face.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/presets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::training;
using testing::HasSubstr;

// Equal to a preset except for its name and its sequence length; `pattern` and `preset` may spell the same layers.
void expect_preset(const std::string& json, const char* name) {
    const HuggingFaceConfig config = read_hugging_face(json, "config.json");
    EXPECT_THAT(config.remarks, testing::IsEmpty()) << name;
    Transformer model = config.model;
    const Transformer wanted = preset(name);
    for (int layer = 0; layer < model.layers; ++layer) {
        EXPECT_EQ(model.kind_of(layer), wanted.kind_of(layer)) << name << ", layer " << layer;
    }
    EXPECT_EQ(parameters_of(model).total(), parameters_of(wanted).total()) << name;
    model.name = wanted.name;
    model.sequence = wanted.sequence;
    model.pattern = wanted.pattern;
    EXPECT_EQ(model, wanted) << name;
}

std::string complaint(const std::string& json) {
    try {
        read_hugging_face(json, "config.json");
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "";
}

constexpr const char* qwen3_next = R"({"architectures": ["Qwen3NextForCausalLM"], "attention_dropout": 0.0,
    "decoder_sparse_step": 1, "full_attention_interval": 4, "head_dim": 256, "hidden_act": "silu", "hidden_size": 2048,
    "intermediate_size": 5120, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_num_key_heads": 16,
    "linear_num_value_heads": 32, "linear_value_head_dim": 128, "max_position_embeddings": 262144,
    "mlp_only_layers": [], "model_type": "qwen3_next", "moe_intermediate_size": 512, "norm_topk_prob": true,
    "num_attention_heads": 16, "num_experts": 512, "num_experts_per_tok": 10, "num_hidden_layers": 48,
    "num_key_value_heads": 2, "partial_rotary_factor": 0.25, "router_aux_loss_coef": 0.001,
    "shared_expert_intermediate_size": 512, "tie_word_embeddings": false, "vocab_size": 151936})";

TEST(HybridConfigs, OfQwen3NextHasAGatedDeltaNetInThreeOfFourLayers) {
    Transformer model = read_hugging_face(qwen3_next, "config.json").model;
    model.ffn = 0;  // of no layer
    EXPECT_EQ(model.pattern, "lllf");
    EXPECT_EQ(parameters_of(model).total(), 79'674'391'296);
    model.name = preset("qwen3-next-80b-a3b").name;
    model.sequence = 4096;
    EXPECT_EQ(model, preset("qwen3-next-80b-a3b"));
}

TEST(HybridConfigs, OfListedLayerTypesAreAPattern) {
    const std::string types = R"({"layer_types": ["full_attention", "linear_attention", "linear_attention"], )";
    std::string text = types + std::string(qwen3_next).substr(1);
    text.replace(text.find("\"num_hidden_layers\": 48"), 23, "\"num_hidden_layers\": 3");
    EXPECT_EQ(read_hugging_face(text, "config.json").model.pattern, "fll");
    const Transformer windows =
        read_hugging_face(R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
        "max_position_embeddings": 512, "num_attention_heads": 4, "num_hidden_layers": 3, "vocab_size": 100,
        "sliding_window": 9, "layer_types": ["full_attention", "sliding_attention", "sliding_attention"]})",
                          "config.json")
            .model;
    EXPECT_EQ(windows.pattern, "fww");
    EXPECT_EQ(windows.window_of(1), 9);
}

TEST(HybridConfigs, OfDeepSeekV32HasASparseIndex) {
    expect_preset(R"({"model_type": "deepseek_v32", "attention_bias": false, "first_k_dense_replace": 3,
        "hidden_size": 7168, "index_head_dim": 128, "index_n_heads": 64, "index_topk": 2048,
        "intermediate_size": 18432, "kv_lora_rank": 512, "max_position_embeddings": 163840,
        "moe_intermediate_size": 2048, "moe_layer_freq": 1, "n_group": 8, "n_routed_experts": 256,
        "n_shared_experts": 1, "num_attention_heads": 128, "num_experts_per_tok": 8, "num_hidden_layers": 61,
        "num_key_value_heads": 128, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
        "tie_word_embeddings": false, "topk_group": 4, "topk_method": "noaux_tc", "v_head_dim": 128,
        "vocab_size": 129280})",
                  "deepseek-v3.2");
}

TEST(HybridConfigs, OfKimiLinearHasFullLayersWhereTheyAreListed) {
    expect_preset(R"({"model_type": "kimi_linear", "first_k_dense_replace": 1, "head_dim": 72, "hidden_size": 2304,
        "intermediate_size": 9216, "kv_lora_rank": 512, "linear_attn_config": {"full_attn_layers": [4, 8, 12, 16, 20,
        24, 27], "head_dim": 128, "kda_layers": [1, 2, 3], "num_heads": 32, "short_conv_kernel_size": 4},
        "max_position_embeddings": 1048576, "mla_use_nope": true, "moe_intermediate_size": 1024, "moe_layer_freq": 1,
        "moe_renormalize": true, "moe_router_activation_func": "sigmoid", "num_attention_heads": 32,
        "num_expert_group": 1, "num_experts": 256, "num_experts_per_token": 8, "num_hidden_layers": 27,
        "num_key_value_heads": 32, "num_nextn_predict_layers": 0, "num_shared_experts": 1, "q_lora_rank": null,
        "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "routed_scaling_factor": 2.446, "tie_word_embeddings": false,
        "topk_group": 1, "use_grouped_topk": true, "v_head_dim": 128, "vocab_size": 163840})",
                  "kimi-linear-48b-a3b");
}

TEST(HybridConfigs, OfMiniMaxHasLightningAttentionWhereTheListSays0) {
    std::string kinds;
    for (int layer = 0; layer < 80; ++layer) {
        kinds += layer == 0 ? "" : ", ";
        kinds += layer % 8 == 7 ? "1" : "0";
    }
    const Transformer model =
        read_hugging_face(R"({"model_type": "minimax_m1", "attn_type_list": [)" + kinds + R"(], "head_dim": 128,
        "hidden_size": 6144, "intermediate_size": 9216, "layernorm_linear_attention_alpha": 3.55,
        "max_position_embeddings": 10240000, "num_attention_heads": 64, "num_experts_per_tok": 2,
        "num_hidden_layers": 80, "num_key_value_heads": 8, "num_local_experts": 32, "postnorm": true, "rotary_dim": 64,
        "shared_intermediate_size": 0, "shared_moe_mode": "sigmoid", "tie_word_embeddings": false,
        "vocab_size": 200064})",
                          "config.json")
            .model;
    EXPECT_EQ(parameters_of(model).total(), 456'089'655'296);
    EXPECT_EQ(model.linear, preset("minimax-m1").linear);
    EXPECT_EQ(model.kind_of(7).mixer, Mixer::attention);
    EXPECT_EQ(model.kind_of(8).mixer, Mixer::linear);
}

TEST(HybridConfigs, OfNemotronHHasLayersOfOnePart) {
    expect_preset(R"({"model_type": "nemotron_h", "attention_bias": false, "attention_head_dim": 128,
        "chunk_size": 128, "conv_kernel": 4, "expand": 2, "hidden_dropout": 0.0, "hidden_size": 4096,
        "hybrid_override_pattern": "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-",
        "intermediate_size": 21504, "mamba_head_dim": 64, "mamba_hidden_act": "silu", "mamba_num_heads": 128,
        "mamba_proj_bias": false, "max_position_embeddings": 8192, "mlp_bias": false, "mlp_hidden_act": "relu2",
        "n_groups": 8, "num_attention_heads": 32, "num_hidden_layers": 52, "num_key_value_heads": 8,
        "num_logits_to_keep": 1, "rescale_prenorm_residual": true, "residual_in_fp32": false, "ssm_state_size": 128,
        "tie_word_embeddings": false, "use_bias": false, "use_conv_bias": true, "use_mamba_kernels": true,
        "vocab_size": 131072})",
                  "nemotron-h-8b");
    const auto listed = [](const char* blocks) {
        return R"({"model_type": "nemotron_h", "head_dim": 128, "hidden_size": 4096, "intermediate_size": 21504,
        "layers_block_type": )" +
               std::string(blocks) + R"(, "mamba_head_dim": 64, "mamba_num_heads": 128, "max_position_embeddings": 8192,
        "n_groups": 8, "num_attention_heads": 32, "num_hidden_layers": 3, "num_key_value_heads": 8,
        "ssm_state_size": 128, "vocab_size": 131072})";
    };
    EXPECT_EQ(read_hugging_face(listed(R"(["mamba", "mlp", "attention"])"), "config.json").model.pattern, "M-*");
    EXPECT_THAT(complaint(listed(R"(["mamba", "rwkv", "attention"])")), HasSubstr("layers_block_type has \"rwkv\""));
}

TEST(HybridConfigs, OfMamba2HasNoAttention) {
    expect_preset(R"({"model_type": "mamba2", "chunk_size": 256, "conv_kernel": 4, "expand": 2, "head_dim": 64,
        "hidden_size": 2560, "n_groups": 1, "num_heads": 80, "num_hidden_layers": 64, "state_size": 128,
        "tie_word_embeddings": true, "use_bias": false, "use_conv_bias": true, "vocab_size": 50288})",
                  "mamba2-2.7b");
    EXPECT_THAT(complaint(R"({"model_type": "mamba2", "expand": 2, "head_dim": 64, "hidden_size": 2560, "num_heads": 40,
        "num_hidden_layers": 64, "state_size": 128, "vocab_size": 50288})"),
                HasSubstr("expand = 2 times hidden_size = 2560 is not num_heads x head_dim = 2560"));
}

// The other parts of the checkpoint are for pictures and sound.
TEST(HybridConfigs, OfGemma3nHasInputsOfEachLayer) {
    std::string types;
    std::string widths;
    for (int layer = 0; layer < 30; ++layer) {
        types += layer % 5 == 4 ? ", \"full_attention\"" : ", \"sliding_attention\"";
        widths += ", 8192";
    }
    const std::string text = R"({"activation_sparsity_pattern": [0.95, 0.0], "altup_active_idx": 0,
        "altup_coef_clip": 120.0, "altup_correct_scale": true, "altup_lr_multiplier": 1.0, "altup_num_inputs": 4,
        "final_logit_softcapping": 30.0, "head_dim": 256, "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 2048,
        "hidden_size_per_layer_input": 256, "intermediate_size": [)" +
                             widths.substr(2) + R"(], "laurel_rank": 64, "layer_types": [)" + types.substr(2) +
                             R"(], "max_position_embeddings": 32768, "model_type": "gemma3n_text",
        "num_attention_heads": 8, "num_hidden_layers": 30, "num_key_value_heads": 2, "num_kv_shared_layers": 10,
        "rope_local_base_freq": 10000.0, "sliding_window": 512, "vocab_size": 262400,
        "vocab_size_per_layer_input": 262144})";
    expect_preset(text, "gemma-3n-e2b");
    const std::string whole = R"({"model_type": "gemma3n", "audio_config": {}, "vision_config": {}, "text_config": )";
    const HuggingFaceConfig config = read_hugging_face(whole + text + "}", "config.json");
    EXPECT_THAT(config.remarks, testing::ElementsAre(HasSubstr("parts for pictures or sound are left out")));
    EXPECT_EQ(read_hugging_face(R"({"model_type": "gemma3n_text"})", "config.json").model.per_layer,
              preset("gemma-3n-e4b").per_layer);
    EXPECT_EQ(parameters_of(read_hugging_face(R"({"model_type": "gemma3n_text"})", "config.json").model).total(),
              parameters_of(preset("gemma-3n-e4b")).total());
}

TEST(HybridConfigs, OfT5HasAnEncoderAndADecoder) {
    const Transformer model = read_hugging_face(R"({"model_type": "t5", "d_ff": 2048, "d_kv": 64, "d_model": 512,
        "decoder_start_token_id": 0, "feed_forward_proj": "relu", "is_encoder_decoder": true, "n_positions": 512,
        "num_decoder_layers": 6, "num_heads": 8, "num_layers": 6, "relative_attention_num_buckets": 32,
        "vocab_size": 32128})",
                                                "config.json")
                                  .model;
    EXPECT_EQ(parameters_of(model).total(), 60'506'624);
    EXPECT_EQ(model.encoder, preset("t5-small").encoder);
}

TEST(HybridConfigs, OfVitHasAClassForEachLabel) {
    const Transformer model = read_hugging_face(R"({"model_type": "vit", "hidden_size": 1024, "image_size": 224,
        "intermediate_size": 4096, "num_attention_heads": 16, "num_channels": 3, "num_hidden_layers": 24,
        "patch_size": 16, "qkv_bias": true, "id2label": {"0": "cat", "1": "dog", "2": "mouse"}})",
                                                "config.json")
                                  .model;
    EXPECT_EQ(parameters_of(model).total(), 304'326'632 - (1000 - 3) * (1024 + 1));
    EXPECT_EQ(model.sequence, 197);
}

TEST(HybridConfigs, OfDitOfDiffusersIsThePreset) {
    expect_preset(R"({"_class_name": "DiTTransformer2DModel", "_diffusers_version": "0.12", "attention_head_dim": 72,
        "in_channels": 4, "norm_type": "ada_norm_zero", "num_attention_heads": 16, "num_embeds_ada_norm": 1000,
        "num_layers": 28, "out_channels": 8, "patch_size": 2, "sample_size": 32})",
                  "dit-xl-2");
}

}  // namespace
