// config.json files as they lie beside published checkpoints, and ones that nobody should have written.
#include "libsim/training/hugging_face.hpp"

#include "libsim/error.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/presets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::training;
using testing::HasSubstr;

Transformer of(const std::string& json) {
    return transformer_of_hugging_face(json, "config.json");
}

std::string complaint(const std::string& json) {
    try {
        of(json);
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "";
}

// A preset, but for its name and the length that it was pretrained at.
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
    predicting.mtp_layers = 1;  // as it was trained; the preset is what its checkpoint computes
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
                                          "missing), and is none of bert, bloom, deepseek_v2, "));
    EXPECT_THAT(what, testing::EndsWith("qwen3, qwen3_moe; did you mean mixtral?"));
}

TEST(HuggingFace, OfAModelForPicturesIsItsText) {
    expect_preset(of(R"({"model_type": "llava", "vision_config": {}, "text_config": )" + std::string(llama3) + "}"),
                  "llama3.1-8b");
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
    EXPECT_THAT(
        complaint(replaced(llama3, "\"mlp_bias\": false",
                           "\"sliding_window\": 9, \"layer_types\": [\"full_attention\", \"sliding_attention\"]")),
        HasSubstr("layer_types[0] = \"full_attention\": ndsim knows sliding windows in the first and every"));
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

// Every key of every type in turn lost, or made into something else: a value or one clear line, nothing worse.
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
