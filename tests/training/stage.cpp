#include "scenarios/lesson/transformer/stage.hpp"
#include "scenarios/lesson/transformer/alone.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace sim::lesson;
using testing::ElementsAre;

// A layer of the default shape: two norms, Wq, Wk, Wv, Wo, bo, W1, b1, W2, b2.
constexpr std::size_t embedding_weights = 8 * 16 + 16 + 8 * 16;
constexpr std::size_t attention_weights = 4 * 16 * 16 + 16;
constexpr std::size_t feed_forward_weights = 2 * 16 * 64 + 64 + 16;
constexpr std::size_t layer_weights = 2 * 32 + attention_weights + feed_forward_weights;
constexpr std::size_t head_weights = 32 + 16 * 4 + 4;

TEST(Stage, OfTheWholeModelHoldsEveryWeightInItsPlace) {
    const Stage stage(Shape{}, whole(Shape{}));
    EXPECT_EQ(stage.weight_count(), embedding_weights + 4 * layer_weights + head_weights);
    std::vector<std::size_t> all(stage.weight_count());
    std::iota(all.begin(), all.end(), 0U);
    EXPECT_EQ(stage.places(), all);
    EXPECT_TRUE(stage.partial_over_tensor().empty());
}

TEST(Stage, HasSegmentsThatTileItsWeights) {
    const std::size_t begin = embedding_weights;
    const std::size_t dense = layer_weights - feed_forward_weights + 16 * 4;  // with the router
    const std::size_t end = begin + dense + 2 * feed_forward_weights;
    const Stage stage({.layers = 1, .experts = 4},
                      {.layer_count = 1, .has_embedding = true, .has_head = true, .experts = {1, 2}});
    EXPECT_THAT(stage.segments(),
                ElementsAre(LayerWeights{-1, 0, begin, begin}, LayerWeights{0, begin, begin + dense, end},
                            LayerWeights{1, end, end + head_weights, end + head_weights}));
}

TEST(Stage, OfATensorPartHoldsItsColumnsAndRows) {
    const Shape shape{.layers = 1, .hidden = 2, .heads = 2, .sequence = 1, .inputs = 1, .outputs = 1};
    const Stage stage(shape, {.layer_count = 1, .tensor = {1, 2}});
    // Embedding: 0 to 5. LayerNorm: 6 to 9. Wq: 10 to 13, its second column, as for Wk and Wv. Wo: 22 to 25, its second
    // row; bo and LayerNorm: 26 to 31. W1: 32 to 47, columns 4 to 7 of 8. b1: 48 to 55, 4 to 7. W2: 56 to 71, rows 4 to
    // 7; b2.
    EXPECT_THAT(stage.places(),
                ElementsAre(6, 7, 8, 9, 11, 13, 15, 17, 19, 21, 24, 25, 26, 27, 28, 29, 30, 31, 36, 37, 38, 39, 44, 45,
                            46, 47, 52, 53, 54, 55, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73));
}

TEST(Stage, HasOnlyTheRoutersGradientPartialWithoutSequenceParallelism) {
    const Stage stage({.layers = 1, .experts = 2}, {.layer_count = 1, .tensor = {0, 2}});
    const std::size_t router = 32 + 4 * 16 * 8 + 16 + 32;
    EXPECT_THAT(stage.partial_over_tensor(), ElementsAre(Range{router, router + 16 * 2}));
    EXPECT_TRUE(Stage(Shape{}, {.layer_count = 4, .tensor = {0, 2}}).partial_over_tensor().empty());
}

TEST(Stage, HasPartialGradientsOfTheStreamWithSequenceParallelism) {
    const Stage stage({.layers = 1}, {.layer_count = 1, .tensor = {0, 2}, .sequence_parallel = true});
    const std::size_t bo = 32 + 4 * 16 * 8;
    const std::size_t b2 = bo + 16 + 32 + 16 * 32 + 32 + 32 * 16;
    EXPECT_THAT(stage.partial_over_tensor(), ElementsAre(Range{0, 32}, Range{bo, bo + 48}, Range{b2, b2 + 16}));
}

TEST(Stage, TellsItsSurroundingsWhatItDoes) {
    std::vector<std::string> calls;
    const auto note = [&](const char* what) {
        return [&calls, what](Matrix x) {
            calls.emplace_back(what);
            return x;
        };
    };
    const auto name = [](LayerPass pass) {
        return pass == LayerPass::forward ? "forward" : pass == LayerPass::backward_input ? "input" : "weight";
    };
    Surroundings around{.enter = note("enter"),
                        .leave = note("leave"),
                        .leave_backward = note("leave back"),
                        .enter_backward = note("enter back")};
    around.work = [&](Region region, LayerPass pass) {
        calls.push_back(fmt::format("{} {}", region == Region::attention ? "attention" : "feed", name(pass)));
    };
    around.begin_layer = [&](int layer, LayerPass pass) {
        calls.push_back(fmt::format("begin {} {}", layer, name(pass)));
    };
    around.end_layer = [&](int layer, LayerPass pass) { calls.push_back(fmt::format("end {} {}", layer, name(pass))); };

    const Shape shape{.layers = 3};
    Stage stage(shape, {.first_layer = 2, .layer_count = 1, .has_head = true}, around);
    const std::vector<double> weights(stage.weight_count(), 0.5);
    std::vector<double> gradient(stage.weight_count());
    stage.forward(weights, 0, make_batch(shape, 1, {.first = 0, .count = 1}), Matrix::Ones(8, 16));
    EXPECT_THAT(calls, ElementsAre("begin 2 forward", "enter", "attention forward", "leave", "enter", "feed forward",
                                   "leave", "end 2 forward", "begin 3 forward", "end 3 forward"));
    calls.clear();
    stage.backward(weights, 0, {}, gradient);
    EXPECT_THAT(calls,
                ElementsAre("begin 3 input", "end 3 input", "begin 3 weight", "end 3 weight", "begin 2 input",
                            "leave back", "feed input", "enter back", "leave back", "attention input", "enter back",
                            "end 2 input", "begin 2 weight", "feed weight", "attention weight", "end 2 weight"));
}

TEST(Stage, RotatesAsOftenAsTheRingIsLong) {
    const Shape shape{.layers = 1};
    int rotations = 0;
    Surroundings around;
    around.rotate = [&](std::vector<double> x) {
        ++rotations;
        return x;
    };
    Stage stage(shape, {.layer_count = 1, .context = {0, 4}}, around);
    const std::vector<double> weights(stage.weight_count(), 0.5);
    stage.forward(weights, 0, {}, Matrix::Ones(2, 16));
    EXPECT_EQ(rotations, 3);
    rotations = 0;
    stage.backward_input(weights, 0, Matrix::Ones(2, 16));
    EXPECT_EQ(rotations, 3 + 4);  // [K|V], and its gradient, which returns to its owner
}

TEST(Stage, LetsExpertsWorkBetweenTwoExchanges) {
    const Shape shape{.layers = 1, .experts = 2};
    std::vector<std::string> calls;
    Surroundings around;
    around.exchange = [&](std::vector<std::vector<double>> parts) {
        calls.push_back(fmt::format("exchange {}", parts[0].size()));
        return parts;
    };
    around.work = [&](Region, LayerPass) { calls.emplace_back("work"); };
    Stage stage(shape, {.layer_count = 1}, around);
    const std::vector<double> weights(stage.weight_count(), 0.5);
    stage.forward(weights, 0, {}, Matrix::Ones(8, 16));
    // 8 tokens of 16 numbers for 2 experts each; the dispatch also sends the number of tokens for each expert
    EXPECT_THAT(calls, ElementsAre("work", "exchange 258", "work", "exchange 256"));
    calls.clear();
    stage.backward_input(weights, 0, Matrix::Ones(8, 16));
    EXPECT_THAT(calls, ElementsAre("exchange 256", "work", "exchange 256", "work"));
}

TEST(Stage, LetsNoOutputDependOnLaterInputs) {
    const Shape shape{};
    const std::vector<double> weights = initial_weights(shape, 1);
    Stage stage(shape, whole(shape));
    TokenBatch batch = make_batch(shape, 1, {.first = 0, .count = 1});
    const Matrix before = stage.forward(weights, 0, batch);
    batch.inputs.row(5) *= -1;
    const Matrix after = stage.forward(weights, 0, batch);
    EXPECT_EQ(after.topRows(5), before.topRows(5));
    for (const Index row : {5, 6, 7}) {
        EXPECT_NE(after.row(row), before.row(row));
    }
}

TEST(Stage, ForgetsAMicroBatchAfterItsBackwardPass) {
    const Shape shape{};
    const std::vector<double> weights = initial_weights(shape, 1);
    std::vector<double> gradient(weights.size());
    Stage stage(shape, whole(shape));
    stage.forward(weights, 3, make_batch(shape, 1, {.first = 0, .count = 1}));
    stage.backward(weights, 3, {}, gradient);
    EXPECT_THROW(stage.loss(3), std::out_of_range);
    EXPECT_THROW(stage.backward_input(weights, 4), std::out_of_range);
}

std::string refusal(const Shape& shape, const PartPlacement& placement) {
    try {
        const Stage stage(shape, placement);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "none";
}

TEST(Stage, RefusesWhatCannotBeSplit) {
    EXPECT_EQ(refusal({.heads = 5}, {}), "16 hidden values cannot be split into 5 equal parts");
    EXPECT_EQ(refusal({}, {.tensor = {0, 8}}), "4 heads cannot be split into 8 equal parts");
    EXPECT_EQ(refusal({}, {.context = {0, 3}}), "8 positions cannot be split into 3 equal parts");
    EXPECT_EQ(refusal({}, {.tensor = {0, 4}, .context = {0, 4}, .sequence_parallel = true}),
              "2 positions of a context part cannot be split into 4 equal parts");
    EXPECT_EQ(refusal({.experts = 4}, {.experts = {0, 3}}), "4 experts cannot be split into 3 equal parts");
    EXPECT_EQ(refusal({.experts = 2, .top_k = 3}, {}), "a token cannot choose 3 of 2 experts");
    EXPECT_EQ(refusal({}, {.first_layer = 3, .layer_count = 2}), "layers 3 to 4 of 4 do not exist");
    EXPECT_EQ(refusal({}, {.layer_count = 4}), "none");
}

}  // namespace
