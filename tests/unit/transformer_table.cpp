// Transformers as TOML: read, written, and refused.
#include "libsim/training/transformer_table.hpp"

#include "libsim/error.hpp"
#include "libsim/training/presets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::training;
using testing::HasSubstr;

Transformer of(const std::string& toml) {
    return transformer_of_toml(toml, "model.toml");
}

std::string complaint(const std::string& toml) {
    try {
        of(toml);
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "";
}

const std::string small = "[model]\nlayers = 2\nhidden = 64\nffn = 256\nheads = 4\nvocabulary = 100\nsequence = 32\n";

TEST(TransformerTable, FillsInWhatFollows) {
    const Transformer model = of(small);
    EXPECT_EQ(model.name, "transformer");
    EXPECT_EQ(model.kv_heads, 4);
    EXPECT_EQ(model.head_dim, 16);
    EXPECT_TRUE(model.biases);
    EXPECT_EQ(of(small.substr(8)), model);  // at the top level, without [model]
}

TEST(TransformerTable, ChangesAPreset) {
    Transformer wanted = preset("llama3-8b");
    wanted.sequence = 4096;
    wanted.layers = 16;
    EXPECT_EQ(of("[model]\npreset = \"llama3-8b\"\nsequence = 4096\nlayers = 16\n"), wanted);
    const Transformer wide = of("preset = \"llama3-8b\"\nhidden = 8192\n");
    EXPECT_EQ(wide.head_dim, 256);
    EXPECT_EQ(wide.kv_heads, 8);
    EXPECT_EQ(of("preset = \"llama2-7b\"\nheads = 64\n").kv_heads, 64);
    EXPECT_EQ(of("preset = \"qwen3-4b\"\nhidden = 3072\n").head_dim, 128);  // not hidden / heads there either
    EXPECT_EQ(of("preset = \"deepseek-v3\"\n[latent]\nrotary_dim = 32\n").head_dim, 160);
    EXPECT_EQ(of("preset = \"mixtral-8x7b\"\nexperts.top_k = 1\n").experts.top_k, 1);
}

TEST(TransformerTable, ReadsBackWhatItWrites) {
    for (const Transformer& model : presets()) {
        EXPECT_EQ(of(transformer_toml(model)), model) << transformer_toml(model);
    }
    Transformer odd = preset("gpt2");
    odd.name = "a \"name\" with \\, \n and é\x7f";
    EXPECT_EQ(of(transformer_toml(odd)), odd);
}

TEST(TransformerTable, NamesLineAndNearestKey) {
    EXPECT_EQ(complaint(small + "gatd = true\n"), "model.toml:8: unknown key model.gatd; did you mean model.gated?");
    EXPECT_EQ(complaint(small + "[model.experts]\ncuont = 2\n"),
              "model.toml:9: unknown key model.experts.cuont; did you mean model.experts.count?");
    EXPECT_THAT(complaint(small + "[modle]\nx = 1\n"), HasSubstr("unknown key modle; did you mean model?"));
    EXPECT_EQ(complaint("preset = \"llama3-8\"\n"),
              "model.toml:1: unknown model \"llama3-8\"; did you mean llama3-8b?");
    EXPECT_EQ(complaint("layers = 2\n"), "model.toml: hidden is missing, and no preset says it");
}

TEST(TransformerTable, RefusesWhatIsNoSizeFlagTextOrTable) {
    for (const char* value : {"-1", "1.5", "\"64\"", "true", "9223372036854775807", "[64]", "{}", "1e3"}) {
        EXPECT_EQ(complaint("preset = \"gpt2\"\nhidden = " + std::string(value) + "\n"),
                  "model.toml:2: hidden must be a whole number from 0 to 2^30")
            << value;
    }
    EXPECT_EQ(complaint("preset = \"gpt2\"\ngated = 1\n"), "model.toml:2: gated must be true or false");
    EXPECT_EQ(complaint("preset = 7\n"), "model.toml:1: preset must be a text");
    EXPECT_EQ(complaint("model = 7\n"), "model.toml:1: model must be a table");
    EXPECT_EQ(complaint("preset = \"gpt2\"\nexperts = 8\n"), "model.toml:2: experts must be a table");
    EXPECT_EQ(complaint("preset = \"gpt2\"\nlatent = [1]\n"), "model.toml:2: latent must be a table");
    EXPECT_EQ(complaint("preset = \"gpt2\"\nheads = 5\n"),
              "model.toml: model \"gpt2\": head_dim is missing, and heads = 5 do not divide hidden = 768; 4 would");
    EXPECT_THAT(complaint("[model"), testing::StartsWith("model.toml:1: "));
    EXPECT_THAT(complaint(""), HasSubstr("layers is missing"));
    EXPECT_THAT(complaint("{\"hidden_size\": 4096}"), testing::StartsWith("model.toml:1: "));
}

const std::string family =
    "source = \"a paper\"\nheads = 4\nvocabulary = 100\nsequence = 32\nexperts.count = 8\nexperts.ffn = 64\n";

TEST(FamilyTable, GivesEachModelTheKeysOfTheFamilyUnlessItsRowHasThem) {
    const std::vector<PublishedModel> models = family_of_toml(
        family +
            "models = [ { name = \"a\", layers = 2, hidden = 64, experts.top_k = 2, parameters = 1_000 },\n"
            "  { name = \"b\", aliases = [\"c\"], layers = 3, hidden = 96, heads = 6, experts.top_k = 1, source = "
            "\"its "
            "card\", parameters = \"1K\" } ]\n",
        "family.toml");
    ASSERT_EQ(models.size(), 2U);
    EXPECT_EQ(models[0].model, of("name = \"a\"\nlayers = 2\nhidden = 64\nheads = 4\nvocabulary = 100\nsequence = "
                                  "32\nexperts = { count = 8, ffn = 64, top_k = 2 }\n"));
    EXPECT_EQ(models[0].source, "a paper");
    EXPECT_EQ(models[0].parameters, "1000");
    EXPECT_EQ(models[1].model.kv_heads, 6);
    EXPECT_EQ(models[1].model.head_dim, 16);
    EXPECT_EQ(models[1].model.experts.count, 8);
    EXPECT_THAT(models[1].aliases, testing::ElementsAre("c"));
    EXPECT_EQ(models[1].source, "its card");
    EXPECT_EQ(models[1].parameters, "1K");
}

TEST(FamilyTable, NamesTheRowOfAMistake) {
    const auto complaint_of = [](const std::string& rows) -> std::string {
        try {
            family_of_toml(family + rows, "family.toml");
        } catch (const ProgramError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(complaint_of("[[models]]\nname = \"a\"\nlayer = 2\n"),
              "family.toml:9: unknown key models[1].layer; did you mean models[1].layers?");
    EXPECT_EQ(complaint_of("[[models]]\nname = \"a\"\nlayers = 2\n"),
              "family.toml: hidden is missing, and no preset says it");
    EXPECT_EQ(complaint_of("models = 2\n"), "family.toml:7: models must be a list of tables");
    EXPECT_EQ(complaint_of("[[models]]\naliases = \"b\"\n"), "family.toml: layers is missing, and no preset says it");
    EXPECT_EQ(complaint_of("[[models]]\nlayers = 2\nhidden = 64\nffn = 64\nexperts.top_k = 1\naliases = \"b\"\n"),
              "family.toml:12: models[1].aliases must be a list of texts");
    EXPECT_EQ(complaint_of("name = \"all\"\n"), "family.toml:7: unknown key name");
}

}  // namespace
