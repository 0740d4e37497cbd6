#include "scenarios/lesson/transformer/batch.hpp"
#include "scenarios/lesson/transformer/ends.hpp"
#include "scenarios/lesson/transformer/feed_forward.hpp"
#include "scenarios/lesson/transformer/layer_norm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace sim::lesson;

Tensor tensor(int rows, int columns, std::size_t begin) {
    return {.rows = rows, .columns = columns, .begin = begin};
}

TEST(LayerNorm, BringsEveryRowToMeanZeroAndVarianceOne) {
    const LayerNorm norm{.gain = tensor(1, 4, 0), .bias = tensor(1, 4, 4)};
    const std::vector<double> weights{1, 1, 2, 1, 0, 0, 0, 5};
    Matrix x(1, 4);
    x << 1, 3, 1, 3;  // mean 2, variance 1
    const double one = 1 / std::sqrt(1 + 1e-5);
    LayerNorm::Saved saved;
    const Matrix y = norm.forward(weights, x, saved);
    EXPECT_DOUBLE_EQ(y(0, 0), -one);
    EXPECT_DOUBLE_EQ(y(0, 1), one);
    EXPECT_DOUBLE_EQ(y(0, 2), -2 * one);
    EXPECT_DOUBLE_EQ(y(0, 3), one + 5);
}

TEST(FeedForward, IsTheExactGeluBetweenTwoMatrices) {
    const FeedForward part{.up = tensor(1, 2, 0), .up_bias = tensor(1, 2, 2), .down = tensor(2, 1, 4)};
    const std::vector<double> weights{1, -2, 0.5, 0, 1, 10};
    FeedForward::Saved saved;
    const Matrix y = part.forward(weights, Matrix::Constant(1, 1, 1), saved);
    // GELU(1.5) + 10 GELU(-2), with Phi(a) = erfc(-a / sqrt 2) / 2
    const double expected = 1.5 * std::erfc(-1.5 / std::sqrt(2)) / 2 - 20 * std::erfc(2 / std::sqrt(2)) / 2;
    EXPECT_NEAR(y(0, 0), expected, 1e-14);
}

Head head_of_zero_weights(LossKind loss) {
    return {.norm = {.gain = tensor(1, 2, 0), .bias = tensor(1, 2, 0)},
            .matrix = tensor(2, 4, 0),
            .bias = tensor(1, 4, 0),
            .kind = loss,
            .sequence = 2};
}

TEST(Head, OfTwoPositionsHasTheMeanOfTheirSquares) {
    const std::vector<double> weights(8);
    Head::Saved saved;
    Matrix targets(2, 4);
    targets << 1, 1, 1, 1, 2, 0, 2, 0;
    const Matrix y = head_of_zero_weights(LossKind::mean_squared).forward(weights, Matrix::Ones(2, 2), targets, saved);
    EXPECT_EQ(y, Matrix::Zero(2, 4));
    EXPECT_DOUBLE_EQ(saved.loss, (1.0 + 2.0) / 2);
    EXPECT_DOUBLE_EQ(saved.dy(1, 0), 2 * -2.0 / (4 * 2));
}

TEST(Head, ThatKnowsNothingHasACrossEntropyOfTheLogOfTheClasses) {
    const std::vector<double> weights(8);
    Head::Saved saved;
    Matrix targets(2, 1);
    targets << 3, 0;
    head_of_zero_weights(LossKind::cross_entropy).forward(weights, Matrix::Ones(2, 2), targets, saved);
    EXPECT_DOUBLE_EQ(saved.loss, std::log(4.0));
    EXPECT_DOUBLE_EQ(saved.dy(0, 3), (0.25 - 1) / 2);
    EXPECT_DOUBLE_EQ(saved.dy(0, 0), 0.25 / 2);
}

TEST(TokenBatch, OfAnItemIsTheSameInWhateverShare) {
    const Shape shape{};
    const TokenBatch all = make_batch(shape, 1, {.first = 0, .count = 5});
    const TokenBatch some = make_batch(shape, 1, {.first = 3, .count = 2});
    EXPECT_EQ(all.inputs.bottomRows(2 * 8), some.inputs);
    EXPECT_EQ(all.targets.bottomRows(2 * 8), some.targets);
    EXPECT_NE(make_batch(shape, 2, {.first = 3, .count = 2}).inputs, some.inputs);
}

TEST(TokenBatch, HasTheTeachersTargets) {
    const TokenBatch batch = make_batch({}, 9, {.first = 0, .count = 1});
    const double a = batch.inputs(3, 2);
    const double b = batch.inputs(3, 3);
    EXPECT_EQ(batch.targets(3, 1), std::tanh(a + 2 * a * b - 0.5 * b + batch.inputs(2, 2)));
}

TEST(TokenBatch, OfClassesNamesTheLargestTarget) {
    const TokenBatch values = make_batch({}, 9, {.first = 0, .count = 2});
    const TokenBatch classes = make_batch({.loss = LossKind::cross_entropy}, 9, {.first = 0, .count = 2});
    EXPECT_EQ(classes.inputs, values.inputs);
    for (Index row = 0; row < values.targets.rows(); ++row) {
        EXPECT_EQ(values.targets(row, static_cast<Index>(classes.targets(row, 0))), values.targets.row(row).maxCoeff());
    }
}

}  // namespace
