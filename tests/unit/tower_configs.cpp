// config.json files of models for images and text.
#include "libsim/error.hpp"
#include "libsim/training/hugging_face.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/presets.hpp"
#include "libsim/training/transformer_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using namespace sim;
using namespace sim::training;
using testing::ElementsAre;
using testing::HasSubstr;

// The tower of a preset, in front of a text with as many parameters.
void expect_preset(const std::string& json, const char* name, bool any_size = false) {
    const HuggingFaceConfig config = read_hugging_face(json, "config.json");
    EXPECT_EQ(config.remarks.size(), any_size ? 1U : 0U) << name;
    Transformer wanted = preset(name);
    Tower tower = *wanted.tower;
    tower.frozen = false;
    wanted.tower = tower;
    EXPECT_EQ(config.model.tower, wanted.tower) << name;
    EXPECT_EQ(parameters_of(config.model).total(), parameters_of(wanted).total()) << name;
}

TEST(TowerConfigs, OfGemma3) {
    expect_preset(R"({"architectures": ["Gemma3ForConditionalGeneration"], "mm_tokens_per_image": 256,
        "model_type": "gemma3", "text_config": {"hidden_size": 2560, "intermediate_size": 10240,
        "model_type": "gemma3_text", "num_hidden_layers": 34, "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
        "sliding_window": 1024}, "vision_config": {"hidden_size": 1152, "image_size": 896, "intermediate_size": 4304,
        "model_type": "siglip_vision_model", "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size": 14,
        "vision_use_head": false}})",
                  "gemma3-vision-4b");
}

TEST(TowerConfigs, OfLlama4) {
    expect_preset(R"({"model_type": "llama4", "text_config": {"model_type": "llama4_text", "attention_chunk_size": 8192,
        "head_dim": 128, "hidden_size": 5120, "interleave_moe_layer_step": 1, "intermediate_size": 8192,
        "intermediate_size_mlp": 16384, "max_position_embeddings": 10485760, "num_attention_heads": 40,
        "num_experts_per_tok": 1, "num_hidden_layers": 48, "num_key_value_heads": 8, "num_local_experts": 16,
        "tie_word_embeddings": false, "vocab_size": 202048}, "vision_config": {"hidden_size": 1408, "image_size": 336,
        "intermediate_size": 5632, "model_type": "llama4_vision_model", "multi_modal_projector_bias": false,
        "num_attention_heads": 16, "num_channels": 3, "num_hidden_layers": 34, "patch_size": 14,
        "pixel_shuffle_ratio": 0.5, "projector_input_dim": 4096, "projector_output_dim": 4096,
        "vision_output_dim": 4096}})",
                  "llama4-vision-scout");
}

// Its text_config leaves out the sizes of Llama 7B.
TEST(TowerConfigs, OfLlava) {
    expect_preset(R"({"model_type": "llava", "projector_hidden_act": "gelu", "text_config": {
        "_name_or_path": "lmsys/vicuna-7b-v1.5", "max_position_embeddings": 4096, "model_type": "llama",
        "vocab_size": 32064}, "vision_config": {"hidden_size": 1024, "image_size": 336, "intermediate_size": 4096,
        "model_type": "clip_vision_model", "num_attention_heads": 16, "num_hidden_layers": 24, "patch_size": 14,
        "projection_dim": 768, "vocab_size": 32000}, "vision_feature_layer": -2})",
                  "llava-1.5-7b");
}

constexpr const char* qwen2_5_text =
    R"("hidden_size": 3584, "intermediate_size": 18944, "max_position_embeddings": 128000,
    "num_attention_heads": 28, "num_hidden_layers": 28, "num_key_value_heads": 4, "tie_word_embeddings": false,
    "vocab_size": 152064)";
constexpr const char* qwen2_5_vision = R"("vision_config": {"depth": 32, "fullatt_block_indexes": [7, 15, 23, 31],
    "hidden_size": 1280, "in_chans": 3, "intermediate_size": 3420, "model_type": "qwen2_5_vl", "num_heads": 16,
    "out_hidden_size": 3584, "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2, "window_size": 112})";

// Older files have the text's keys at the top.
TEST(TowerConfigs, OfQwen25VlWithTextInATableOrAtTheTop) {
    const std::string vision = qwen2_5_vision;
    const std::string text = qwen2_5_text;
    expect_preset(R"({"model_type": "qwen2_5_vl", )" + text + ", " + vision + "}", "qwen2.5-vl-7b", true);
    expect_preset(R"({"model_type": "qwen2_5_vl", "text_config": {"model_type": "qwen2_5_vl_text", )" + text + "}, " +
                      vision + "}",
                  "qwen2.5-vl-7b", true);
}

TEST(TowerConfigs, OfQwen3Vl) {
    expect_preset(R"({"model_type": "qwen3_vl", "text_config": {"attention_bias": false, "head_dim": 128,
        "hidden_size": 4096, "intermediate_size": 12288, "max_position_embeddings": 262144,
        "model_type": "qwen3_vl_text", "num_attention_heads": 32, "num_hidden_layers": 36, "num_key_value_heads": 8,
        "rope_scaling": {"mrope_interleaved": true, "rope_type": "default"}, "vocab_size": 151936},
        "tie_word_embeddings": false, "vision_config": {"deepstack_visual_indexes": [8, 16, 24], "depth": 27,
        "hidden_size": 1152, "in_channels": 3, "intermediate_size": 4304, "model_type": "qwen3_vl", "num_heads": 16,
        "num_position_embeddings": 2304, "out_hidden_size": 4096, "patch_size": 16, "spatial_merge_size": 2,
        "temporal_patch_size": 2}})",
                  "qwen3-vl-8b", true);
}

// One that says nothing about the tower's sizes is read as its text.
TEST(TowerConfigs, WithoutTheTowersSizesAreTheirText) {
    const HuggingFaceConfig config = read_hugging_face(
        R"({"model_type": "gemma3", "vision_config": {}, "text_config": {"model_type": "gemma3_text"}})",
        "config.json");
    EXPECT_FALSE(config.model.tower);
    EXPECT_THAT(config.remarks, ElementsAre(HasSubstr("parts for pictures or sound are left out")));
}

TEST(TowerTable, IsReadInTomlWithItsTransformersKeys) {
    const Transformer model = transformer_of_toml(R"(
        preset = "llama3-8b"
        [tower]
        preset = "vit-large-patch16-224"
        images = 2
        tokens = 196
        frozen = true
    )",
                                                  "mine.toml");
    EXPECT_EQ(model.tower->images, 2);
    EXPECT_TRUE(model.tower->frozen);
    EXPECT_EQ(model.tower->model.layers, 24);
    EXPECT_EQ(model.tower->model.patches, preset("vit-large-patch16-224").patches);
    EXPECT_EQ(transformer_of_toml(transformer_toml(model), "again.toml"), model);
    const auto complaint = [](const char* text) {
        try {
            transformer_of_toml(text, "mine.toml");
        } catch (const ProgramError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_THAT(complaint("preset = \"llama3-8b\"\n[tower]\nimage = 2\n"),
                HasSubstr("unknown key tower.image; did you mean tower.images?"));
}

}  // namespace
