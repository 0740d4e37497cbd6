// Values of --model: a name, a config.json, a TOML file.
#include "libsim/predict/model_file.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/training/presets.hpp"
#include "libsim/training/transformer_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace {

using namespace sim;
using namespace sim::config;
using namespace sim::predict;

std::string complaint(const std::string& name) {
    try {
        read_model(name);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

std::string written(const std::string& name, const std::string& text) {
    std::string path = testing::TempDir() + name;
    std::ofstream(path) << text;
    return path;
}

TEST(ModelFile, IsAPresetOrAFile) {
    EXPECT_EQ(read_model("gpt3-175b"), training::preset("gpt3-175b"));
    const std::string toml = written("model_file.toml", training::transformer_toml(training::preset("deepseek-v3")));
    EXPECT_EQ(read_model(toml), training::preset("deepseek-v3"));
    const std::string json = written("config.json", R"({"model_type": "gpt2", "n_embd": 768, "n_head": 12,
        "n_layer": 12, "n_positions": 1024, "vocab_size": 50257})");
    // A config.json does not name its model; the folder does.
    training::Transformer gpt2 = training::preset("gpt2");
    gpt2.name = std::filesystem::path(json).parent_path().filename();
    EXPECT_EQ(read_model(json), gpt2);
}

TEST(ModelFile, ThatCannotBeReadIsExplained) {
    EXPECT_EQ(complaint("llama3-8"), "unknown model \"llama3-8\"; did you mean llama3-8b?");
    EXPECT_EQ(complaint("nowhere/llama3-8b.json"),
              "nowhere/llama3-8b.json: No such file or directory; llama3-8b is built in: leave the ending out");
    EXPECT_EQ(complaint("lama3-8b.toml"),
              "lama3-8b.toml: No such file or directory; did you mean llama3-8b, which is built in?");
    EXPECT_EQ(
        complaint("nowhere/my-own-thing.json"),
        "nowhere/my-own-thing.json: No such file or directory; a model is a name like llama3-8b, a config.json, or "
        "a TOML file");
    EXPECT_EQ(complaint("checkpoints/mine"),
              "checkpoints/mine: a file with a model ends in .json (Hugging Face's config.json) or .toml");
    const std::string broken = written("broken.json", "{\"hidden_size\": -1}");
    EXPECT_EQ(complaint(broken), broken + ": hidden_size must be a whole number from 0 to 2^30, not -1");
}

}  // namespace
