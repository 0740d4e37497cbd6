#include "libsim/training/layer_split.hpp"

#include "libsim/error.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace sim::training {
namespace {

std::vector<int> listed(const std::string& text) {
    return layer_split_of_text(text).layers;
}

std::string complaint(const std::string& text) {
    try {
        layer_split_of_text(text);
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "none";
}

TEST(LayerSplit, IsReadFromNumbers) {
    EXPECT_EQ(listed("8,8,7,8"), (std::vector{8, 8, 7, 8}));
    EXPECT_EQ(listed("0, 1*3, 2"), (std::vector{0, 1, 1, 1, 2}));
    EXPECT_EQ(listed("12"), (std::vector{12}));
}

TEST(LayerSplit, IsReadFromMegatronsText) {
    EXPECT_EQ(listed("Ettt|tt|t*4L"), (std::vector{3, 2, 4}));
    EXPECT_EQ(listed("E|(t|)*3L"), (std::vector{0, 1, 1, 1, 0}));
    EXPECT_EQ(listed("Et,(tt|t|)*2,L"), (std::vector{3, 1, 2, 1, 0}));
    EXPECT_EQ(listed("E(t(t|)*2)*2L"), (std::vector{2, 1, 2, 1, 0}));  // E tt|t| tt|t| L
}

// Megatron-LM's own example: DeepSeek-V3 on 16 stages of 2 chunks. 3 + 29 x 2 = 61.
TEST(LayerSplit, OfDeepSeekV3HasItsPredictionAndItsLossOnStagesOfTheirOwn) {
    const LayerSplit split = layer_split_of_text("Et*3|(tt|)*29m|L");
    ASSERT_EQ(split.layers.size(), 32U);
    EXPECT_EQ(split.layers.front(), 3);
    EXPECT_EQ(split.layers[29], 2);
    EXPECT_EQ(split.layers[30], 0);
    EXPECT_EQ(split.layers[31], 0);
    EXPECT_EQ(std::accumulate(split.layers.begin(), split.layers.end(), 0), 61);
    EXPECT_EQ(split.prediction_stage, 30);
    EXPECT_EQ(split.prediction_layers, 1);
}

TEST(LayerSplit, IsWrittenAsNumbersThatAreReadAgain) {
    for (const char* const text : {"8,8,7,8", "0,1*126,0", "5"}) {
        EXPECT_EQ(listed(text_of(layer_split_of_text(text))), listed(text));
    }
    EXPECT_EQ(text_of(layer_split_of_text("E|(t|)*126L")), "0,1*126,0");
    EXPECT_EQ(text_of(LayerSplit{}), "");
}

TEST(LayerSplit, NamesThePlaceOfWhatIsNoLayout) {
    EXPECT_EQ(complaint("Et|x|L"), "\"x\" is none of E, t, m, L, |, ( and ) at character 4 of \"Et|x|L\"");
    EXPECT_EQ(complaint("E(t|*2L"), "\"(\" without \")\" at character 8 of \"E(t|*2L\"");
    EXPECT_EQ(complaint("Et)|L"), "\")\" without \"(\" at character 3 of \"Et)|L\"");
    EXPECT_EQ(complaint("Et*|L"), "a number is missing behind \"*\" at character 4 of \"Et*|L\"");
    EXPECT_EQ(complaint("E((t*99999)*99999)*99999L"),
              "more than 100000 layers and stages at character 18 of \"E((t*99999)*99999)*99999L\"");
    EXPECT_EQ(complaint("8,,7"),
              "\"\" of \"8,,7\" must be a number of layers up to 100000, or such a number * how many stages have it");
    EXPECT_EQ(complaint("8,-1"),
              "\"-1\" of \"8,-1\" must be a number of layers up to 100000, or such a number * how many stages have it");
    EXPECT_EQ(complaint("1*100001"),
              "\"1*100001\" of \"1*100001\" must be a number of layers up to 100000, or such a number * how many "
              "stages have it");
}

TEST(LayerSplit, WantsTheEndsWhereMegatronWantsThem) {
    EXPECT_EQ(complaint("tt|tL"), "\"tt|tL\": E stands once, in front of all layers");
    EXPECT_EQ(complaint("|Et|tL"), "\"|Et|tL\": E stands in the first stage");
    EXPECT_EQ(complaint("Et|t"), "\"Et|t\": L stands once, behind all layers");
    EXPECT_EQ(complaint("Et|tL|"), "\"Et|tL|\": L stands in the last stage");
    EXPECT_EQ(complaint("Et|m|tL"), "\"Et|m|tL\": all m stand in one stage, behind every t");
    EXPECT_EQ(complaint("Et|m|mL"), "\"Et|m|mL\": all m stand in one stage, behind every t");
}

}  // namespace
}  // namespace sim::training
