// docs/models.md: it names every key of a model, and its TOML can be read.
#include "libsim/training/hugging_face.hpp"
#include "libsim/training/hugging_face/towers.hpp"
#include "libsim/training/presets.hpp"
#include "libsim/training/transformer_fields.hpp"
#include "libsim/training/transformer_table.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace {

using namespace sim::training;

std::string page() {
    std::stringstream text;
    text << std::ifstream(NDSIM_SOURCE_DIR "/docs/models.md").rdbuf();
    return text.str();
}

TEST(ModelsPage, ShowsAModelThatCanBeRead) {
    const std::string text = page();
    const std::size_t begin = text.find("```toml\n") + 8;
    const Transformer model = transformer_of_toml(text.substr(begin, text.find("```", begin) - begin), "models.md");
    EXPECT_EQ(model.name, "my-experts");
    EXPECT_EQ(model.experts.count, 16);
    EXPECT_EQ(model.hidden, preset("llama3-8b").hidden);
}

template <class Part>
void expect_fields(const std::string& text) {
    for (const auto& field : Fields<Part>::sizes) {
        EXPECT_THAT(text, testing::HasSubstr(fmt::format("`{}`", field.name)));
    }
    for (const auto& field : Fields<Part>::flags) {
        EXPECT_THAT(text, testing::HasSubstr(fmt::format("`{}`", field.name)));
    }
}

TEST(ModelsPage, NamesEveryKeyAndModelType) {
    const std::string text = page();
    expect_fields<Transformer>(text);
    expect_fields<Experts>(text);
    expect_fields<LatentAttention>(text);
    expect_fields<SlidingWindow>(text);
    expect_fields<LinearAttention>(text);
    expect_fields<SparseAttention>(text);
    expect_fields<Patches>(text);
    expect_fields<Conditioning>(text);
    expect_fields<Encoder>(text);
    expect_fields<PerLayerInputs>(text);
    expect_fields<Tower>(text);
    for (const LinearKindRow& row : linear_kinds()) {
        EXPECT_THAT(text, testing::HasSubstr(fmt::format("`{}`", row.name)));
    }
    for (const std::string& type : tower_types()) {
        EXPECT_THAT(text, testing::ContainsRegex("[ \n]" + type + "[, \n;.]"));
    }
    for (const std::string& type : hugging_face_model_types()) {
        EXPECT_THAT(text, testing::ContainsRegex("[ \n]" + type + "[, \n;]"));
    }
}

}  // namespace
