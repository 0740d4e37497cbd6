// config.json files as published with checkpoints, and invalid ones.
#include "libsim/training/hugging_face.hpp"

#include "libsim/error.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/presets.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::training;
using testing::HasSubstr;

Transformer of(const std::string& json) {
    return read_hugging_face(json, "config.json").model;
}

std::string complaint(const std::string& json) {
    try {
        of(json);
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "";
}

// Equal to a preset except for its name and its pretraining sequence length.
void expect_preset(Transformer model, const char* name) {
    const Transformer wanted = preset(name);
    model.name = wanted.name;
    model.sequence = wanted.sequence;
    EXPECT_EQ(model, wanted) << name;
}

constexpr const char* llama3 = R"({
  "architectures": ["LlamaForCausalLM"], "attention_bias": false, "hidden_act": "silu", "hidden_size": 4096,
  "intermediate_size": 14336, "max_position_embeddings": 131072, "mlp_bias": false, "model_type": "llama",
  "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
  "rope_scaling": {"factor": 8.0, "original_max_position_embeddings": 8192, "rope_type": "llama3"},
  "tie_word_embeddings": false, "vocab_size": 128256})";

TEST(HuggingFace, OfLlamaIsThePreset) {
    EXPECT_EQ(of(llama3).sequence, 8192);
    EXPECT_EQ(of(llama3).name, "llama");
    expect_preset(of(llama3), "llama3.1-8b");
}

TEST(HuggingFace, OfGpt2IsThePreset) {
    const Transformer model = of(R"({"model_type": "gpt2", "n_ctx": 1024, "n_embd": 1600, "n_head": 25, "n_layer": 48,
        "n_positions": 1024, "vocab_size": 50257, "_name_or_path": "openai-community/gpt2-xl"})");
    EXPECT_EQ(model, preset("gpt2-xl"));
}

TEST(HuggingFace, OfMistralHasItsWindow) {
    const std::string text = R"({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336,
        "max_position_embeddings": 32768, "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
        "sliding_window": 4096, "tie_word_embeddings": false, "vocab_size": 32000})";
    expect_preset(of(text), "mistral-7b");
}

TEST(HuggingFace, OfMixtralHasItsExperts) {
    const std::string text = R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336,
        "max_position_embeddings": 32768, "num_attention_heads": 32, "num_experts_per_tok": 2, "num_hidden_layers": 32,
        "num_key_value_heads": 8, "num_local_experts": 8, "sliding_window": null, "tie_word_embeddings": false,
        "vocab_size": 32000})";
    expect_preset(of(text), "mixtral-8x7b");
}

TEST(HuggingFace, OfQwenHasBiasesOrNormsOfQueriesAndKeys) {
    expect_preset(of(R"({"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944,
        "max_position_embeddings": 131072, "num_attention_heads": 28, "num_hidden_layers": 28, "num_key_value_heads": 4,
        "sliding_window": 131072, "tie_word_embeddings": false, "use_sliding_window": false, "vocab_size": 152064})"),
                  "qwen2.5-7b");
    expect_preset(of(R"({"model_type": "qwen3_moe", "attention_bias": false, "decoder_sparse_step": 1, "head_dim": 128,
        "hidden_size": 4096, "intermediate_size": 12288, "max_position_embeddings": 40960, "mlp_only_layers": [],
        "moe_intermediate_size": 1536, "num_attention_heads": 64, "num_experts": 128, "num_experts_per_tok": 8,
        "num_hidden_layers": 94, "num_key_value_heads": 4, "sliding_window": null, "tie_word_embeddings": false,
        "vocab_size": 151936})"),
                  "qwen3-235b-a22b");
}

TEST(HuggingFace, OfGptOssHasSinksAndAlternatingWindows) {
    std::string types;
    for (int layer = 0; layer < 36; ++layer) {
        types += layer % 2 == 0 ? "\"sliding_attention\"," : "\"full_attention\",";
    }
    types.pop_back();
    const Transformer model = of(R"({"model_type": "gpt_oss", "attention_bias": true, "experts_per_token": 4,
        "head_dim": 64, "hidden_size": 2880, "initial_context_length": 4096, "intermediate_size": 2880,
        "layer_types": [)" + types +
                                 R"(], "max_position_embeddings": 131072, "num_attention_heads": 64,
        "num_hidden_layers": 36, "num_key_value_heads": 8, "num_local_experts": 128, "sliding_window": 128,
        "tie_word_embeddings": false, "vocab_size": 201088})");
    EXPECT_EQ(model.sequence, 4096);
    expect_preset(model, "gpt-oss-120b");
}

TEST(HuggingFace, OfDeepSeekHasLatentAttentionAndDenseLayers) {
    const std::string v3 = R"("first_k_dense_replace": 3, "hidden_size": 7168, "intermediate_size": 18432,
        "kv_lora_rank": 512, "max_position_embeddings": 163840, "moe_intermediate_size": 2048, "moe_layer_freq": 1,
        "n_group": 8, "topk_group": 4,
        "n_routed_experts": 256, "n_shared_experts": 1, "num_attention_heads": 128, "num_experts_per_tok": 8,
        "num_hidden_layers": 61, "num_key_value_heads": 128, "num_nextn_predict_layers": 1, "q_lora_rank": 1536,
        "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "rope_scaling": {"original_max_position_embeddings": 4096},
        "topk_method": "noaux_tc", "v_head_dim": 128, "vocab_size": 129280})";
    Transformer predicting = preset("deepseek-v3");
    predicting.mtp_layers = 1;  // as trained; the preset has only the layers that inference uses
    EXPECT_EQ(of(R"({"model_type": "deepseek_v3", "_name_or_path": "deepseek-v3", )" + v3), predicting);
    const std::string lite = R"({"model_type": "deepseek_v2", "first_k_dense_replace": 1, "hidden_size": 2048,
        "intermediate_size": 10944, "kv_lora_rank": 512, "max_position_embeddings": 163840,
        "moe_intermediate_size": 1408, "moe_layer_freq": 1, "n_routed_experts": 64, "n_shared_experts": 2,
        "num_attention_heads": 16, "num_experts_per_tok": 6, "num_hidden_layers": 27, "num_key_value_heads": 16,
        "q_lora_rank": null, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "topk_method": "greedy", "n_group": 2, "topk_group": 1,
        "v_head_dim": 128, "vocab_size": 102400})";
    expect_preset(of(lite), "deepseek-v2-lite");
}

TEST(HuggingFace, OfBertAndBloomIsThePreset) {
    expect_preset(of(R"({"model_type": "bert", "hidden_size": 768, "intermediate_size": 3072,
        "max_position_embeddings": 512, "num_attention_heads": 12, "num_hidden_layers": 12, "type_vocab_size": 2,
        "vocab_size": 30522})"),
                  "bert-base");
    expect_preset(of(R"({"model_type": "bloom", "n_embed": 14336, "n_layer": 70, "num_attention_heads": 112,
        "seq_length": 2048, "vocab_size": 250880})"),
                  "bloom-176b");
}

TEST(HuggingFace, OfOthersHasThePublishedParameters) {
    const auto total = [](const char* json) { return parameters_of(of(json)).total(); };
    EXPECT_EQ(total(R"({"model_type": "gpt_neox", "hidden_size": 6144, "intermediate_size": 24576,
        "max_position_embeddings": 2048, "num_attention_heads": 64, "num_hidden_layers": 44, "vocab_size": 50432})"),
              20'554'567'680);
    EXPECT_EQ(total(R"({"model_type": "falcon", "hidden_size": 4544, "num_attention_heads": 71, "bias": false,
        "multi_query": true, "new_decoder_architecture": false, "parallel_attn": true, "num_hidden_layers": 32,
        "vocab_size": 65024})"),
              6'921'720'704);
    EXPECT_EQ(total(R"({"model_type": "mpt", "attn_config": {"alibi": true}, "d_model": 4096, "expansion_ratio": 4,
        "learned_pos_emb": true, "max_seq_len": 2048, "n_heads": 32, "n_layers": 32, "no_bias": true,
        "vocab_size": 50432})"),
              6'649'286'656);
    EXPECT_EQ(total(R"({"model_type": "phi3", "hidden_size": 3072, "intermediate_size": 8192,
        "max_position_embeddings": 4096, "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32,
        "sliding_window": 2047, "tie_word_embeddings": false, "vocab_size": 32064})"),
              3'821'079'552);
    EXPECT_EQ(total(R"({"model_type": "gemma2", "head_dim": 256, "hidden_size": 2304, "intermediate_size": 9216,
        "max_position_embeddings": 8192, "num_attention_heads": 8, "num_hidden_layers": 26, "num_key_value_heads": 4,
        "sliding_window": 4096, "vocab_size": 256000})"),
              2'614'341'888);
    EXPECT_EQ(total(R"({"model_type": "opt", "ffn_dim": 16384, "hidden_size": 4096, "max_position_embeddings": 2048,
        "num_attention_heads": 32, "num_hidden_layers": 32, "vocab_size": 50272, "word_embed_proj_dim": 4096})"),
              6'658'473'984 - 2 * 4096);
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    return text.replace(text.find(what), what.size(), by);
}

TEST(HuggingFace, OfAnUnknownTypeIsReadAsLlamaWhereItsKeysAreThere) {
    expect_preset(of(replaced(llama3, "\"llama\"", "\"my_llama\"")), "llama3.1-8b");
    expect_preset(of(replaced(llama3, "\"model_type\": \"llama\",", "")), "llama3.1-8b");
    const std::string what = complaint(R"({"model_type": "mixtrl", "dim": 12})");
    EXPECT_THAT(what, testing::StartsWith("config.json: model_type \"mixtrl\" cannot be read as llama (hidden_size is "
                                          "missing), and is none of DiTTransformer2DModel, bert, bloom, "));
    EXPECT_THAT(what, testing::EndsWith("t5, vit; did you mean mixtral?"));
}

std::vector<std::string> remarks(const std::string& json) {
    return read_hugging_face(json, "config.json").remarks;
}

TEST(HuggingFace, OfAnUnknownTypeSaysThatItIsReadAsLlamaAndWhichKeysItLost) {
    EXPECT_THAT(remarks(llama3), testing::IsEmpty());
    EXPECT_THAT(remarks(replaced(llama3, "\"llama\"", "\"my_llama\"")),
                testing::ElementsAre("model_type \"my_llama\" is not known: read as llama; all keys that matter were "
                                     "understood"));
    EXPECT_THAT(remarks(replaced(llama3, "\"model_type\": \"llama\",",
                                 "\"model_type\": \"my_llama\", \"use_gate\": true, \"value_scale\": 2.5, "
                                 "\"no_gate\": false, \"unused\": null, \"embedding_multiplier\": 12,")),
                testing::ElementsAre(
                    "model_type \"my_llama\" is not known: read as llama; keys not understood: use_gate, value_scale"));
}

TEST(HuggingFace, RefusesAModelOfWhichAttentionOrExpertsWouldBeLost) {
    const auto refused = [](const char* type, const char* more) {
        return complaint(replaced(llama3, "\"model_type\": \"llama\",",
                                  "\"model_type\": \"" + std::string(type) + "\", " + more + ","));
    };
    EXPECT_EQ(refused("qwen4", R"("linear_num_value_heads": 32)"),
              "config.json: model_type \"qwen4\" cannot be read: linear_num_value_heads says that it has linear "
              "attention, which ndsim would leave out");
    EXPECT_THAT(refused("deepseek_v3", R"("index_topk": 2048)"), HasSubstr("index_topk says that it has sparse"));
    EXPECT_THAT(refused("zamba2", R"("mamba_num_heads": 128)"), HasSubstr("layers that are no attention"));
    EXPECT_THAT(refused("llama", R"("attn_type_list": [0, 0, 1])"), HasSubstr("linear attention"));
    EXPECT_THAT(refused("minimax", R"("attn_type_list": [0, 0, 1])"),
                HasSubstr("attn_type_list has 3 layers, and num_hidden_layers = 32"));
    EXPECT_THAT(refused("lfm2", R"("layer_types": ["conv", "full_attention"])"), HasSubstr("layers of conv"));
    EXPECT_THAT(refused("ernie4_5_moe", R"("moe_num_experts": 64)"), HasSubstr("that it has experts"));
    EXPECT_THAT(refused("llama", R"("shared_expert_width": 64)"), HasSubstr("that it has experts"));
    EXPECT_EQ(refused("minimax_m2", R"("attn_type_list": [1, 1])"), "");
    EXPECT_EQ(refused("llama", R"("mamba_d_state": null, "linear_key_dim": 0)"), "");
}

TEST(HuggingFace, OfAModelForPicturesIsItsText) {
    expect_preset(of(R"({"model_type": "llava", "vision_config": {}, "text_config": )" + std::string(llama3) + "}"),
                  "llama3.1-8b");
}

// The text part, 109 and 402 billion: all of the checkpoints' 108,641,793,536 and 401,583,781,376 parameters except the
// vision part's 871,932,416.
TEST(HuggingFace, OfLlama4HasASharedExpertAndDenseLayersBetween) {
    const auto text = [](int experts, int step, const char* more) {
        return fmt::format(
            R"({{"model_type": "llama4", "vision_config": {{}}, "text_config": {{"model_type": "llama4_text",
            "attention_bias": false, "attention_chunk_size": 8192, "head_dim": 128, "hidden_size": 5120,
            "interleave_moe_layer_step": {}, "intermediate_size": 8192, "intermediate_size_mlp": 16384,
            "max_position_embeddings": 10485760, "num_attention_heads": 40, "num_experts_per_tok": 1,
            "num_hidden_layers": 48, "num_key_value_heads": 8, "num_local_experts": {}, "tie_word_embeddings": false,
            "use_qk_norm": true{}, "vocab_size": 202048}}}})",
            step, experts, more);
    };
    EXPECT_EQ(parameters_of(of(text(16, 1, ""))).total(), 108'641'793'536 - 871'932'416);
    EXPECT_EQ(parameters_of(of(text(128, 2, ", \"moe_layers\": [1, 3, 5]"))).total(), 401'583'781'376 - 871'932'416);
    expect_preset(of(text(16, 1, "")), "llama4-scout-17b-16e");
    expect_preset(of(text(128, 2, "")), "llama4-maverick-17b-128e");
    EXPECT_EQ(of(text(16, 1, "")).window_of(2), 8192);
    EXPECT_EQ(of(text(16, 1, "")).window_of(3), 10'485'760);
    EXPECT_THAT(remarks(text(16, 1, "")), testing::ElementsAre(HasSubstr("parts for pictures or sound are left out")));
    EXPECT_THAT(complaint(text(16, 2, ", \"moe_layers\": [0, 2]")),
                HasSubstr("moe_layers[0] = 0 does not fit interleave_moe_layer_step = 2"));
}

// The checkpoints' 4,300,079,472 and 27,432,406,640 minus the 419,816,304 and 423,060,336 of the vision part.
TEST(HuggingFace, OfGemma3HasTiedTablesAndWindowsInFiveOfSixLayers) {
    const Transformer small = of(R"({"model_type": "gemma3", "vision_config": {}, "text_config": {"hidden_size": 2560,
        "intermediate_size": 10240, "model_type": "gemma3_text", "num_hidden_layers": 34,
        "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024}})");
    EXPECT_EQ(parameters_of(small).total(), 4'300'079'472 - 419'816'304);
    expect_preset(small, "gemma3-4b");
    EXPECT_EQ(small.sequence, 131'072);
    EXPECT_EQ(small.window_of(4), 1024);
    EXPECT_EQ(small.window_of(5), 131'072);
    const Transformer large = of(R"({"model_type": "gemma3", "vision_config": {}, "text_config": {"head_dim": 128,
        "hidden_size": 5376, "intermediate_size": 21504, "model_type": "gemma3_text", "num_attention_heads": 32,
        "num_hidden_layers": 62, "num_key_value_heads": 16, "query_pre_attn_scalar": 168, "sliding_window": 1024}})");
    EXPECT_EQ(parameters_of(large).total(), 27'432'406'640 - 423'060'336);
    expect_preset(large, "gemma3-27b");
    EXPECT_EQ(parameters_of(preset("gemma3-1b")).total(), 999'885'952);
}

// The checkpoint's 110,468,824,832 include a multi-token prediction layer and its copies of both tables.
TEST(HuggingFace, OfGlmHasExpertsBehindItsFirstLayer) {
    const Transformer air = of(R"({"model_type": "glm4_moe", "attention_bias": true, "first_k_dense_replace": 1,
        "head_dim": 128, "hidden_size": 4096, "intermediate_size": 10944, "max_position_embeddings": 131072,
        "moe_intermediate_size": 1408, "n_group": 1, "n_routed_experts": 128, "n_shared_experts": 1,
        "norm_topk_prob": true, "num_attention_heads": 96, "num_experts_per_tok": 8, "num_hidden_layers": 46,
        "num_key_value_heads": 8, "num_nextn_predict_layers": 1, "partial_rotary_factor": 0.5,
        "routed_scaling_factor": 1.0, "tie_word_embeddings": false, "topk_group": 1, "use_qk_norm": false,
        "vocab_size": 151552})");
    Transformer predicting = preset("glm4.5-air");
    predicting.mtp_layers = 1;
    predicting.sequence = air.sequence;
    predicting.name = air.name;
    EXPECT_EQ(air, predicting);
    const std::int64_t prediction = 2'341'492'864 + 2 * 4096 * 4096 + 3 * 4096 + 2 * std::int64_t{151552} * 4096;
    EXPECT_EQ(parameters_of(preset("glm4.5-air")).total(), 110'468'824'832 - prediction);
}

TEST(HuggingFace, OfOlmo2AndPhi4HaveThePublishedParameters) {
    const Transformer olmo = of(R"({"model_type": "olmo2", "attention_bias": false, "hidden_size": 5120,
        "intermediate_size": 27648, "max_position_embeddings": 4096, "num_attention_heads": 40,
        "num_hidden_layers": 64, "num_key_value_heads": 8, "tie_word_embeddings": false, "vocab_size": 100352})");
    EXPECT_EQ(parameters_of(olmo).total(), 32'234'279'936);
    expect_preset(olmo, "olmo2-32b");
    const Transformer phi = of(R"({"model_type": "phi3", "hidden_size": 5120, "intermediate_size": 17920,
        "max_position_embeddings": 16384, "num_attention_heads": 40, "num_hidden_layers": 40,
        "num_key_value_heads": 10, "original_max_position_embeddings": 16384, "sliding_window": null,
        "tie_word_embeddings": false, "vocab_size": 100352})");
    EXPECT_EQ(parameters_of(phi).total(), 14'659'507'200);
    expect_preset(phi, "phi4");
    EXPECT_EQ(parameters_of(preset("olmo2-7b")).total(), 7'298'617'344);
    EXPECT_EQ(parameters_of(preset("olmo2-13b")).total(), 13'716'198'400);
    EXPECT_EQ(parameters_of(preset("mistral-large-2407")).total(), 122'610'069'504);
    EXPECT_EQ(parameters_of(preset("qwen3-coder-480b-a35b")).total(), 480'154'875'392);
}

TEST(HuggingFace, NamesAMissingKeyAndTheNearestThatIsThere) {
    EXPECT_EQ(complaint(replaced(llama3, "hidden_size", "hiden_size")),
              "config.json: hidden_size is missing; the nearest key there is hiden_size");
    EXPECT_EQ(complaint(R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257})"),
              "config.json: n_positions is missing (or n_ctx)");
    EXPECT_EQ(complaint("{}"), "config.json: hidden_size is missing");
    EXPECT_THAT(complaint(replaced(llama3, "\"vocab_size\": 128256", "\"vocab_size\": null")),
                HasSubstr("vocab_size is missing"));
}

TEST(HuggingFace, NamesAKeyThatIsNoSize) {
    for (const char* value :
         {"-4096", "\"4096\"", "4096.5", "1e30", "true", "99999999999999999999", "18446744073709551615"}) {
        const std::string what =
            complaint(replaced(llama3, "\"hidden_size\": 4096", "\"hidden_size\": " + std::string(value)));
        EXPECT_THAT(what, testing::StartsWith("config.json: hidden_size must be a whole number from 0 to 2^30, not "))
            << value;
    }
    EXPECT_EQ(complaint(replaced(llama3, "\"hidden_size\": 4096", "\"hidden_size\": [4096]")),
              "config.json: hidden_size must be a whole number from 0 to 2^30, not a list");
    EXPECT_EQ(complaint(replaced(llama3, "\"tie_word_embeddings\": false", "\"tie_word_embeddings\": 0")),
              "config.json: tie_word_embeddings must be true or false, not 0");
    EXPECT_EQ(complaint(replaced(llama3, "\"model_type\": \"llama\"", "\"model_type\": 7")),
              "config.json: model_type must be a text, not 7");
    EXPECT_EQ(complaint(replaced(llama3, "8192,", "{},")),
              "config.json: rope_scaling: original_max_position_embeddings must be a whole number from 0 to 2^30, not "
              "an object");
}

TEST(HuggingFace, RefusesAShapeThatCannotBe) {
    EXPECT_EQ(complaint(replaced(llama3, "\"num_key_value_heads\": 8", "\"num_key_value_heads\": 5")),
              "config.json: model \"llama\": kv_heads = 5 does not divide heads = 32; 4 would");
    EXPECT_THAT(complaint(replaced(llama3, "\"num_attention_heads\": 32", "\"num_attention_heads\": 0")),
                HasSubstr("heads = 0 must be from 1"));
    EXPECT_THAT(complaint(replaced(llama3, "\"hidden_size\": 4096", "\"hidden_size\": 1073741824")),
                HasSubstr("hidden = 1073741824 must be from 1 to 67108864"));
    EXPECT_THAT(complaint(R"({"model_type": "opt", "hidden_size": 1024, "word_embed_proj_dim": 512})"),
                HasSubstr("word_embed_proj_dim = 512 is not hidden_size = 1024"));
}

TEST(HuggingFace, RefusesWhatIsNoObjectOfJson) {
    EXPECT_THAT(complaint(""), testing::StartsWith("config.json: is not valid JSON: parse error at line 1, column 1"));
    EXPECT_THAT(complaint("hello"), HasSubstr("is not valid JSON"));
    EXPECT_THAT(complaint("{\"hidden_size\": 1e999}"), HasSubstr("is not valid JSON"));
    EXPECT_THAT(complaint(std::string("\0\xff\xfe{", 4)), HasSubstr("is not valid JSON"));
    EXPECT_EQ(complaint("[1, 2]"), "config.json: must be a JSON object {…}, as config.json is, not a list");
    EXPECT_EQ(complaint("\"text\""), "config.json: must be a JSON object {…}, as config.json is, not \"text\"");
    EXPECT_THAT(complaint(std::string(100'000, '[')), HasSubstr("is not valid JSON"));
    const std::string text = llama3;
    for (std::size_t length = 0; length < text.size(); length += 7) {
        EXPECT_THAT(complaint(text.substr(0, length)), HasSubstr("is not valid JSON")) << length;
    }
}

// Every key in turn is removed, or given a value of every type: the result is a model or one clear line.
TEST(HuggingFace, SurvivesAnyValueOfAnyKey) {
    const char* keys[] = {"hidden_size",
                          "n_embd",
                          "num_hidden_layers",
                          "n_layer",
                          "num_attention_heads",
                          "n_head",
                          "intermediate_size",
                          "num_key_value_heads",
                          "vocab_size",
                          "max_position_embeddings",
                          "sliding_window",
                          "layer_types",
                          "num_experts",
                          "num_experts_per_tok",
                          "kv_lora_rank",
                          "rope_scaling",
                          "text_config",
                          "attn_config",
                          "mlp_only_layers",
                          "expansion_ratio",
                          "d_model"};
    const char* values[] = {
        "0", "1", "-1", "1073741824", "[]", "{}", "[0]", "[[]]", "\"x\"", "true", "[\"sliding_attention\"]"};
    for (const std::string& type : hugging_face_model_types()) {
        for (const char* key : keys) {
            for (const char* value : values) {
                const std::string text = replaced(replaced(llama3, "\"llama\"", '"' + type + '"'), "{",
                                                  "{\"" + std::string(key) + "\": " + value + ", ");
                try {
                    of(text);
                } catch (const ProgramError& error) {
                    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
                }
            }
        }
    }
}

}  // namespace
