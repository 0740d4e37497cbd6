#include "libsim/training/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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
    EXPECT_EQ(split(61, {.parallelism = {.split = {.drop_last = 1}}}),
              (std::vector{61}));  // the first stage is the last
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
    EXPECT_EQ(split(126, {.parallelism = {.pp = 8, .interleave = 8, .split = {.drop_last = 1}}}), expected);
}

TEST(Split, TakesWhatTheEndsDrop) {
    EXPECT_EQ(split(20, {.parallelism = {.pp = 4, .split = {.drop_last = 2}}}), (std::vector{4, 6, 6, 4}));
    EXPECT_EQ(split(21, {.parallelism = {.pp = 4, .split = {.drop_last = 2}}}),
              (std::vector{4, 7, 6, 4}));  // 25 = 4 * 6 + 1
}

// 128 = 126 + embedding + loss.
TEST(Split, OfLlama405BOver128VirtualStagesHasTheEndsAlone) {
    std::vector<int> expected(128, 1);
    expected.front() = expected.back() = 0;
    const LayerSplit counted{.count_embedding = true, .count_loss = true};
    EXPECT_EQ(split(126, {.parallelism = {.pp = 16, .interleave = 8, .split = counted}}), expected);
    EXPECT_EQ(split(126, {.parallelism = {.pp = 16, .interleave = 8}}), expected);
    EXPECT_EQ(split(126, {.parallelism = {.pp = 16, .interleave = 8, .split = layer_split_of_text("E|(t|)*126L")}}),
              expected);
}

TEST(Split, CountsTheEmbeddingOrTheLossAsALayer) {
    const auto of = [](int layers, bool embedding, bool loss) {
        return split(layers, {.parallelism = {.pp = 4, .split = {.count_embedding = embedding, .count_loss = loss}}});
    };
    EXPECT_EQ(of(30, true, true), (std::vector{7, 8, 8, 7}));   // 32 = 4 * 8
    EXPECT_EQ(of(31, true, false), (std::vector{7, 8, 8, 8}));  // 32 = 4 * 8
    EXPECT_EQ(of(31, false, true), (std::vector{8, 8, 8, 7}));
    EXPECT_EQ(of(32, true, true), (std::vector{7, 9, 9, 7}));  // 34 = 4 * 8 + 2, extra layers in the middle
}

TEST(Split, OfAListIsTheList) {
    const LayerSplit listed{.layers = {3, 2, 0, 1, 2, 2}};
    EXPECT_EQ(split(10, {.parallelism = {.pp = 6, .split = listed}}), listed.layers);
    const Layout chunks{.parallelism = {.pp = 2, .interleave = 3, .split = listed}};
    EXPECT_EQ(layers_of_stage({.layers = 10}, chunks, 0), 3 + 0 + 2);
    EXPECT_EQ(layers_of_stage({.layers = 10}, chunks, 1), 2 + 1 + 2);
}

TEST(Split, CountsEveryLayerOnceAndInOrder) {
    for (const int layers : {61, 94, 126, 127}) {
        for (const LayerSplit& rule : {LayerSplit{}, LayerSplit{.drop_last = 1}, LayerSplit{.count_embedding = true},
                                       LayerSplit{.count_loss = true},
                                       LayerSplit{.drop_last = 1, .count_embedding = true, .count_loss = true}}) {
            const Transformer model{.layers = layers};
            const Layout layout{.parallelism = {.pp = 8, .interleave = 4, .split = rule}};
            int next = 0;
            std::int64_t least = layers;
            for (int stage = 0; stage < virtual_stages(layout); ++stage) {
                EXPECT_EQ(first_layer_of(model, layout, stage), next);
                next += layers_of(model, layout, stage);
                const bool between = stage > 0 && stage < virtual_stages(layout) - 1;
                least = between ? std::min<std::int64_t>(least, layers_of(model, layout, stage)) : least;
            }
            EXPECT_EQ(next, layers);
            const RuledLayers ruled = ruled_layers(model, layout);
            EXPECT_EQ(ruled.first, layers_of(model, layout, 0));
            EXPECT_EQ(ruled.between, least);
            EXPECT_EQ(ruled.last, layers_of(model, layout, 31));
        }
    }
}

TEST(Split, OfAStageIsThatOfItsChunks) {
    // Virtual stages of DeepSeek-V3 on 8 stages of 4 chunks: 1, 29 times 2, 1, 1. Stage 0 has virtual stages 0, 8, 16,
    // 24.
    const Transformer model{.layers = 61};
    const Layout layout{.parallelism = {.pp = 8, .interleave = 4}};
    EXPECT_EQ(layers_of_stage(model, layout, 0), 1 + 2 + 2 + 2);
    EXPECT_EQ(layers_of_stage(model, layout, 3), 8);
    EXPECT_EQ(layers_of_stage(model, layout, 7), 2 + 2 + 2 + 1);
    EXPECT_EQ(virtual_stage_of(layout, 3, 2), 19);
}

}  // namespace
}  // namespace sim::training
