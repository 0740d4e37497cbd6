// Presets of published models have exactly as many parameters as their checkpoints.
#include "libsim/training/presets.hpp"

#include "libsim/error.hpp"
#include "libsim/training/models/files.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/transformer_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

namespace {

using namespace sim;
using namespace sim::training;
using testing::HasSubstr;

std::vector<PublishedModel> models_of(const FamilyFile& file) {
    return family_of_toml(file.text, std::string(file.stem));
}

// "1.7B" as a number of parameters.
double rounded_count(const std::string& text) {
    const std::map<char, double> units{{'M', 1e6}, {'B', 1e9}, {'T', 1e12}};
    return std::stod(text) * units.at(text.back());
}

// A count in digits is that of the checkpoint; a rounded one may be of a vocabulary that is not padded, or include
// parts that a training step hardly notices.
TEST(Presets, HaveThePublishedParameters) {
    int exact = 0;
    for (const FamilyFile& file : family_files()) {
        for (const PublishedModel& one : models_of(file)) {
            const std::int64_t counted = parameters_of(one.model).total();
            if (one.parameters.find_first_not_of("0123456789") != std::string::npos) {
                EXPECT_NEAR(static_cast<double>(counted) / rounded_count(one.parameters), 1, 0.05) << one.model.name;
            } else if (!one.parameters.empty()) {
                EXPECT_EQ(std::to_string(counted), one.parameters) << one.model.name;
                ++exact;
            }
        }
    }
    EXPECT_GE(exact, 40);
}

// Counts of the Hub's safetensors that include parts which the presets leave out, or ndsim counts otherwise: layers of
// multi-token prediction with tables of their own (`tables` numbers of them), and scales of fp8.
TEST(Presets, HaveTheParametersOfTheHubWithinAThousandth) {
    struct Released {
        const char* name;
        int mtp_layers;
        int tables;
        double parameters;
    };
    constexpr double parts_of_gemma3n = 983'281'504;  // for pictures and sound: 0.30 and 0.68 billion
    const Released all[] = {{"Qwen/Qwen3-Next-80B-A3B-Instruct", 1, 0, 81'324'862'720.0},
                            {"deepseek-ai/DeepSeek-V3.2-Exp", 1, 2, 685'396'921'376.0},
                            {"deepseek-ai/DeepSeek-R1", 1, 2, 684'531'386'000.0},
                            {"zai-org/GLM-4.5", 1, 2, 358'337'791'296.0},
                            {"zai-org/GLM-4.6", 1, 0, 356'785'898'816.0},
                            {"zai-org/GLM-4.5-Air", 1, 2, 110'468'824'832.0},
                            {"zai-org/GLM-5", 1, 0, 753'864'139'008.0},
                            {"moonshotai/Kimi-K2-Instruct", 0, 0, 1'026'408'235'864.0},
                            {"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 0, 0, 31'577'937'344.0},
                            {"meta-llama/Llama-4-Scout-17B-16E-Instruct", 0, 0, 108'641'793'536.0 - 871'932'416},
                            {"meta-llama/Llama-4-Maverick-17B-128E", 0, 0, 401'583'781'376.0 - 871'932'416},
                            {"google/gemma-3-27b-it", 0, 0, 27'432'406'640.0 - 423'060'336},
                            {"google/gemma-3n-E2B-it", 0, 0, 5'439'438'272.0 - parts_of_gemma3n},
                            {"google/gemma-3n-E4B-it", 0, 0, 7'849'978'192.0 - parts_of_gemma3n}};
    for (const Released& one : all) {
        Transformer model = preset(one.name);
        model.mtp_layers = one.mtp_layers;
        const Parameters counted = parameters_of(model);
        const auto total = static_cast<double>(counted.total() + one.tables * counted.embedding);
        EXPECT_NEAR(total / one.parameters, 1, 0.001) << one.name;
    }
}

// All parameters of the Hub's safetensors. LayerNorms before Qwen3-VL's projectors count as RMSNorms, and patches that
// have no biases as if they had.
TEST(Presets, WithTowersHaveTheParametersOfTheHubWithinAThousandth) {
    const std::pair<const char*, double> all[] = {{"gemma3-vision-4b", 4'300'079'472.0},
                                                  {"gemma3-vision-12b", 12'187'325'040.0},
                                                  {"gemma3-vision-27b", 27'432'406'640.0},
                                                  {"llama4-vision-scout", 108'641'793'536.0},
                                                  {"llama4-vision-maverick", 401'583'781'376.0},
                                                  {"llava-hf/llava-1.5-7b-hf", 7'063'427'072.0},
                                                  {"Qwen/Qwen2.5-VL-3B-Instruct", 3'754'622'976.0},
                                                  {"Qwen/Qwen2.5-VL-7B-Instruct", 8'292'166'656.0},
                                                  {"Qwen/Qwen2.5-VL-32B-Instruct", 33'452'718'336.0},
                                                  {"Qwen/Qwen3-VL-4B-Instruct", 4'437'815'808.0},
                                                  {"Qwen/Qwen3-VL-8B-Thinking", 8'767'123'696.0},
                                                  {"Qwen/Qwen3-VL-30B-A3B-Instruct", 31'070'754'032.0},
                                                  {"Qwen/Qwen3-VL-235B-A22B-Instruct", 235'670'022'896.0}};
    for (const auto& [name, parameters] : all) {
        ASSERT_TRUE(is_preset(name)) << name;
        EXPECT_TRUE(preset(name).tower) << name;
        EXPECT_NEAR(static_cast<double>(parameters_of(preset(name)).total()) / parameters, 1, 0.001) << name;
    }
}

// Both checkpoints of Gemma 3n have the same parts for pictures and sound.
TEST(Presets, OfGemma3nDifferByTheirText) {
    EXPECT_EQ(parameters_of(preset("gemma-3n-e4b")).total() - parameters_of(preset("gemma-3n-e2b")).total(),
              7'849'978'192 - 5'439'438'272);
}

TEST(Presets, HaveASource) {
    for (const FamilyFile& file : family_files()) {
        for (const PublishedModel& one : models_of(file)) {
            EXPECT_NE(one.source, "") << one.model.name;
        }
    }
}

// Names are found without parsing the files.
TEST(Presets, HaveTheNamesOfTheirFiles) {
    std::vector<std::string> names;
    for (const FamilyFile& file : family_files()) {
        for (const PublishedModel& one : models_of(file)) {
            names.push_back(one.model.name);
            for (const std::string& alias : one.aliases) {
                EXPECT_EQ(preset(alias), one.model) << alias;
            }
        }
    }
    EXPECT_EQ(preset_names(), names);
}

TEST(Presets, HaveThePublishedParametersPerToken) {
    EXPECT_EQ(parameters_of(preset("mixtral-8x7b")).active, 12'879'925'248);
    EXPECT_EQ(parameters_of(preset("qwen3-235b-a22b")).active / 100'000'000, 221);
    EXPECT_EQ(parameters_of(preset("deepseek-v3")).active / 100'000'000, 375);
    // The model card counts the output layer but not the embedding.
    const Parameters oss = parameters_of(preset("gpt-oss-120b"));
    EXPECT_EQ((oss.active - oss.embedding) / 10'000'000, 513);
    EXPECT_EQ(parameters_of(preset("llama3-8b")).active, parameters_of(preset("llama3-8b")).total());
}

// Narayanan et al. 2021, equation 2: P = 12 L h^2 (1 + 13/12h + (V + s)/12Lh), which omits the final norm.
TEST(Presets, OfMegatronHaveTheParametersOfItsFormula) {
    for (const char* name : {"megatron-1.7b", "megatron-18.4b", "gpt3-175b", "megatron-530b", "megatron-1t"}) {
        const Transformer model = preset(name);
        const std::int64_t h = model.hidden;
        const std::int64_t formula =
            12 * model.layers * h * h + 13 * model.layers * h + (model.vocabulary + model.sequence) * h;
        EXPECT_EQ(parameters_of(model).total(), formula + 2 * h) << name;
    }
    EXPECT_EQ(parameters_of(preset("gpt3-175b")).total() / 100'000'000, 1746);     // 174.6 billion in its table 2
    EXPECT_EQ(parameters_of(preset("megatron-1t")).total() / 100'000'000, 10080);  // 1008.0 in its table 1
}

TEST(Presets, CanAllBe) {
    std::set<std::string> names;
    for (const Transformer& model : presets()) {
        EXPECT_NO_THROW(check_transformer(model)) << model.name;
        EXPECT_TRUE(names.insert(model.name).second) << model.name;
        EXPECT_EQ(preset(model.name), model);
    }
}

TEST(Presets, AreFoundHoweverTheyAreWritten) {
    EXPECT_EQ(preset("Llama3-8B").name, "llama3-8b");
    for (const char* name : {"llama-3.1-8b", "meta-llama/Llama-3.1-8B", "Llama-3.1-8B-Instruct", "LLAMA 3.1 8B"}) {
        EXPECT_EQ(preset(name).name, "llama3.1-8b") << name;
    }
    EXPECT_EQ(preset("meta-llama/Llama-3.3-70B-Instruct").name, "llama3.3-70b");
    EXPECT_EQ(preset("google/gemma-2-9b-it").name, "gemma2-9b");
    EXPECT_EQ(preset("nemotron-4-340b").name, "nemotron4-340b");
    EXPECT_EQ(preset("llama-4-scout").name, "llama4-scout-17b-16e");
    EXPECT_EQ(preset("deepseek-ai/DeepSeek-R1").name, "deepseek-v3");
    EXPECT_EQ(preset("GPT-3-1.3B").name, "gpt3-1.3b");
    EXPECT_EQ(preset("moonshotai/Kimi-K2-Instruct-0905").name, "kimi-k2");
}

TEST(Presets, AreFoundByTheirNamesOnTheHub) {
    const std::pair<const char*, const char*> names[] = {
        {"Qwen/Qwen3-Next-80B-A3B-Instruct", "qwen3-next-80b-a3b"},
        {"Qwen/Qwen3-Next-80B-A3B-Thinking", "qwen3-next-80b-a3b"},
        {"Qwen/Qwen3-Coder-Next", "qwen3-next-80b-a3b"},
        {"Qwen/Qwen3-Coder-480B-A35B-Instruct", "qwen3-coder-480b-a35b"},
        {"Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3-30b-a3b"},
        {"deepseek-ai/DeepSeek-V3.2-Exp", "deepseek-v3.2"},
        {"deepseek-ai/DeepSeek-V3.1-Base", "deepseek-v3"},
        {"deepseek-ai/DeepSeek-R1-0528", "deepseek-v3"},
        {"nvidia/Nemotron-H-8B-Base-8K", "nemotron-h-8b"},
        {"nvidia/NVIDIA-Nemotron-Nano-9B-v2", "nemotron-nano-9b-v2"},
        {"moonshotai/Kimi-Linear-48B-A3B-Base", "kimi-linear-48b-a3b"},
        {"MiniMaxAI/MiniMax-M1-80k", "minimax-text-01"},
        {"state-spaces/mamba2-2.7b", "mamba2-2.7b"},
        {"tiiuae/falcon-180B", "falcon-180b"},
        {"tiiuae/falcon-7b-instruct", "falcon-7b"},
        {"EleutherAI/gpt-neox-20b", "gpt-neox-20b"},
        {"microsoft/phi-4", "phi4"},
        {"allenai/OLMo-2-0325-32B-Instruct", "olmo2-32b"},
        {"mistralai/Mistral-Large-Instruct-2411", "mistral-large-2407"},
        {"zai-org/GLM-4.6", "glm4.5"},
        {"google/gemma-3-27b-it", "gemma3-27b"},
        {"google/vit-large-patch16-224", "vit-large-patch16-224"},
        {"google/flan-t5-xxl", "t5-v1.1-xxl"},
        {"google/t5-v1_1-base", "t5-v1.1-base"},
        {"google-t5/t5-small", "t5-small"},
        {"facebook/DiT-XL-2-256", "dit-xl-2"}};
    for (const auto& [written, name] : names) {
        EXPECT_TRUE(is_preset(written)) << written;
        EXPECT_EQ(is_preset(written) ? preset(written).name : "", name);
    }
}

std::string complaint(const char* name) {
    try {
        preset(name);
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "";
}

TEST(Presets, OfAnUnknownNameNameTheNearest) {
    EXPECT_EQ(complaint("llama3-8"), "unknown model \"llama3-8\"; did you mean llama3-8b?");
    EXPECT_EQ(complaint("Mixtral-8x7"), "unknown model \"Mixtral-8x7\"; did you mean mixtral-8x7b?");
    EXPECT_THAT(complaint("llama3"), HasSubstr("it may be llama3-8b, llama3-70b, llama3-405b, llama3.1-8b, "));
    EXPECT_THAT(complaint("something else"), HasSubstr("among those known are gpt2"));
    EXPECT_THAT(complaint(""), HasSubstr("unknown model \"\""));
}

struct Wrong {
    const char* what;
    void (*spoil)(Transformer&);
};

TEST(CheckTransformer, NamesTheFieldTheValueAndWhatWouldDo) {
    const Wrong wrongs[] = {
        {"layers = 0 must be from 1", [](Transformer& m) { m.layers = 0; }},
        {"hidden = -4096 must be from 1", [](Transformer& m) { m.hidden = -4096; }},
        {"vocabulary = 2147483647 must be from 1 to 67108864", [](Transformer& m) { m.vocabulary = INT32_MAX; }},
        {"ffn = 0 must be from 1", [](Transformer& m) { m.ffn = 0; }},
        {"kv_heads = 64 must be from 1 to 32", [](Transformer& m) { m.kv_heads = 64; }},
        {"kv_heads = 7 does not divide heads = 32; 8 would", [](Transformer& m) { m.kv_heads = 7; }},
        {"head_dim = 0 must be 1 or more; hidden / heads is 128", [](Transformer& m) { m.head_dim = 0; }},
        {"heads = 24 do not divide hidden = 4096; 16 would",
         [](Transformer& m) {
             m.heads = 24;
             m.head_dim = 0;
         }},
        {"head_dim = 127 must be even: rotary positions turn pairs; 128 would do",
         [](Transformer& m) { m.head_dim = 127; }},
        {"rotary and learned_positions are both set", [](Transformer& m) { m.learned_positions = true; }},
        {"sliding.every = 0", [](Transformer& m) { m.sliding.every = 0; }},
        {"norms_per_layer = 3 must be 1, 2 or 4", [](Transformer& m) { m.norms_per_layer = 3; }},
        {"norms_per_layer = 4 with parallel_block",
         [](Transformer& m) {
             m.norms_per_layer = 4;
             m.parallel_block = true;
         }},
        {"experts.top_k = 9 is more than experts.count = 8",
         [](Transformer& m) { m.experts = {.count = 8, .top_k = 9, .ffn = 64}; }},
        {"experts.ffn = 0", [](Transformer& m) { m.experts = {.count = 8, .top_k = 2}; }},
        {"experts.dense_layers = 32 leaves none of 32 layers for experts; at most 31 would",
         [](Transformer& m) { m.experts = {.count = 8, .top_k = 2, .ffn = 64, .dense_layers = 32}; }},
        {"kv_heads = 8 must be heads = 32 with latent attention",
         [](Transformer& m) {
             m.latent = {.key_value_rank = 512, .plain_dim = 64, .rotary_dim = 64, .value_dim = 64};
         }},
        {"parameters are more than ndsim counts (1e+16)",
         [](Transformer& m) {
             m.hidden = 1 << 26;
             m.ffn = 1 << 26;
         }},
    };
    for (const Wrong& wrong : wrongs) {
        Transformer model = preset("llama3-8b");
        wrong.spoil(model);
        try {
            check_transformer(model);
            ADD_FAILURE() << wrong.what;
        } catch (const ProgramError& error) {
            EXPECT_THAT(error.what(), HasSubstr(wrong.what));
            EXPECT_THAT(error.what(), testing::StartsWith("model \"llama3-8b\": "));
        }
    }
}

}  // namespace
