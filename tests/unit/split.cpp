#include "libsim/training/split.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace sim::training {
namespace {

std::vector<int> split(int layers, const Layout& layout) {
    const Transformer model{.layers = layers};
    std::vector<int> result;
    for (int stage = 0; stage < virtual_stages(layout); ++stage) {
        result.push_back(layers_of(model, layout, stage));
    }
    return result;
}

TEST(Split, OfWhatDividesIsEven) {
    EXPECT_EQ(split(96, {.parallelism = {.pp = 4}}), (std::vector{24, 24, 24, 24}));
    EXPECT_EQ(split(8, {.parallelism = {.pp = 2, .interleave = 2}}), (std::vector{2, 2, 2, 2}));
}

TEST(Split, OfOneStageIsTheWholeModel) {
    EXPECT_EQ(split(61, {}), (std::vector{61}));
    EXPECT_EQ(split(61, {.parallelism = {.drop_last_layers = 1}}), (std::vector{61}));  // the first stage is the last
}

TEST(Split, GivesLayersLeftOverToTheMiddle) {
    EXPECT_EQ(split(22, {.parallelism = {.pp = 8}}), (std::vector{2, 3, 3, 3, 3, 3, 3, 2}));
    EXPECT_EQ(split(75, {.parallelism = {.pp = 7}}), (std::vector{10, 11, 11, 11, 11, 11, 10}));
    EXPECT_EQ(split(9, {.parallelism = {.pp = 4}}), (std::vector{2, 3, 2, 2}));
}

TEST(Split, WithALayerMissingMakesTheEndLighterThanTheBeginning) {
    EXPECT_EQ(split(7, {.parallelism = {.pp = 4}}), (std::vector{2, 2, 2, 1}));
    EXPECT_EQ(split(6, {.parallelism = {.pp = 4}}), (std::vector{1, 2, 2, 1}));
    EXPECT_EQ(split(14, {.parallelism = {.pp = 5}}), (std::vector{3, 3, 3, 3, 2}));
}

TEST(Split, OfLlama405BOver64VirtualStagesDropsOneLayerAtEachEnd) {
    // 126 = 64 * 2 - 2
    std::vector<int> expected(64, 2);
    expected.front() = expected.back() = 1;
    EXPECT_EQ(split(126, {.parallelism = {.pp = 8, .interleave = 8}}), expected);
    EXPECT_EQ(split(126, {.parallelism = {.pp = 8, .interleave = 8, .drop_last_layers = 1}}), expected);
}

TEST(Split, TakesWhatTheEndsDrop) {
    EXPECT_EQ(split(20, {.parallelism = {.pp = 4, .drop_last_layers = 2}}), (std::vector{4, 6, 6, 4}));
    EXPECT_EQ(split(21, {.parallelism = {.pp = 4, .drop_last_layers = 2}}),
              (std::vector{4, 7, 6, 4}));  // 25 = 4 * 6 + 1
}

TEST(Split, CountsEveryLayerOnceAndInOrder) {
    for (const int layers : {61, 94, 126, 127}) {
        for (const int drop : {0, 1}) {
            const Transformer model{.layers = layers};
            const Layout layout{.parallelism = {.pp = 8, .interleave = 4, .drop_last_layers = drop}};
            int next = 0;
            for (int stage = 0; stage < virtual_stages(layout); ++stage) {
                EXPECT_EQ(first_layer_of(model, layout, stage), next);
                next += layers_of(model, layout, stage);
            }
            EXPECT_EQ(next, layers);
        }
    }
}

TEST(Split, OfAStageIsThatOfItsChunks) {
    // Virtual stages of DeepSeek-V3 over 8 stages of 4 chunks: 1, 29 times 2, 1, 1. Stage 0 has numbers 0, 8, 16, 24.
    const Transformer model{.layers = 61};
    const Layout layout{.parallelism = {.pp = 8, .interleave = 4}};
    EXPECT_EQ(layers_of_stage(model, layout, 0), 1 + 2 + 2 + 2);
    EXPECT_EQ(layers_of_stage(model, layout, 3), 8);
    EXPECT_EQ(layers_of_stage(model, layout, 7), 2 + 2 + 2 + 1);
    EXPECT_EQ(virtual_stage_of(layout, 3, 2), 19);
}

}  // namespace
}  // namespace sim::training
