#include "scenarios/lesson/transformer/alone.hpp"
#include "scenarios/lesson/transformer/stage.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace {

using namespace sim::lesson;

constexpr double step = 1e-4;

// Odd sizes, so that no two can be confused.
constexpr Shape small{.layers = 2, .hidden = 6, .heads = 2, .sequence = 5, .inputs = 3, .outputs = 4};

Shape with_loss(LossKind loss) {
    Shape shape = small;
    shape.loss = loss;
    return shape;
}

Shape with_experts(int experts, int top_k) {
    Shape shape = small;
    shape.experts = experts;
    shape.top_k = top_k;
    return shape;
}

double loss_of(Stage& stage, Weights weights, const TokenBatch& batch, const Matrix& x = {}) {
    stage.forward(weights, 0, batch, x);
    return stage.loss(0);
}

// Derivative of the loss by `value`, exact up to terms of step^4.
template <typename LossNow>
double slope(double& value, LossNow loss_now) {
    const double here = value;
    const auto loss_at = [&](double steps) {
        value = here + steps * step;
        return loss_now();
    };
    const double result = (8 * (loss_at(1) - loss_at(-1)) - (loss_at(2) - loss_at(-2))) / (12 * step);
    value = here;
    return result;
}

class Gradient : public testing::TestWithParam<Shape> {};

TEST_P(Gradient, OfEveryWeightIsThatOfFiniteDifferences) {
    const Shape shape = GetParam();
    const TokenBatch batch = make_batch(shape, 3, {.first = 0, .count = 2});
    std::vector<double> weights = initial_weights(shape, 3);
    std::vector<double> gradient(weights.size());
    Stage stage(shape, whole(shape));
    stage.forward(weights, 0, batch);
    stage.backward(weights, 0, {}, gradient);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double expected = slope(weights[i], [&] { return loss_of(stage, weights, batch); });
        ASSERT_NEAR(gradient[i], expected, 1e-9) << "weight " << i;
    }
}

TEST_P(Gradient, OfTheStreamIsThatOfFiniteDifferences) {
    const Shape shape = GetParam();
    const TokenBatch batch = make_batch(shape, 3, {.first = 0, .count = 2});
    const PartPlacement placement{.first_layer = 1, .layer_count = 1, .has_head = true};
    Stage stage(shape, placement);
    const std::vector<double> all = initial_weights(shape, 3);
    std::vector<double> weights;
    for (const std::size_t place : stage.places()) {
        weights.push_back(all[place]);
    }
    Matrix x = make_batch({.sequence = shape.sequence, .inputs = shape.hidden}, 4, {.first = 0, .count = 2}).inputs;
    std::vector<double> gradient(weights.size());
    stage.forward(weights, 0, batch, x);
    const Matrix dx = stage.backward(weights, 0, {}, gradient);
    ASSERT_EQ(dx.size(), x.size());
    for (Index i = 0; i < x.size(); ++i) {
        const double expected = slope(x.data()[i], [&] { return loss_of(stage, weights, batch, x); });
        ASSERT_NEAR(dx.data()[i], expected, 1e-9) << "value " << i;
    }
}

TEST_P(Gradient, HasTheSameBitsWithASplitBackward) {
    const Shape shape = GetParam();
    const TokenBatch batch = make_batch(shape, 3, {.first = 0, .count = 3});
    const std::vector<double> weights = initial_weights(shape, 3);
    Stage stage(shape, whole(shape));
    std::vector<double> combined(weights.size());
    stage.forward(weights, 0, batch);
    stage.backward(weights, 0, {}, combined);
    std::vector<double> split(weights.size());
    stage.forward(weights, 7, batch);
    EXPECT_EQ(stage.backward_input(weights, 7).size(), 0);
    stage.backward_weight(7, split);
    EXPECT_EQ(split, combined);
}

TEST_P(Gradient, OfSeveralMicroBatchesInFlightIsTheirSum) {
    const Shape shape = GetParam();
    const std::vector<double> weights = initial_weights(shape, 3);
    Stage stage(shape, whole(shape));
    std::vector<double> together(weights.size());
    std::vector<double> apart(weights.size());
    for (const int key : {0, 1}) {
        stage.forward(weights, key, make_batch(shape, 3, {.first = key, .count = 1}));
    }
    for (const int key : {1, 0}) {
        stage.backward(weights, key, {}, together);
    }
    for (const int key : {1, 0}) {
        stage.forward(weights, key, make_batch(shape, 3, {.first = key, .count = 1}));
        stage.backward(weights, key, {}, apart);
    }
    EXPECT_EQ(together, apart);
}

INSTANTIATE_TEST_SUITE_P(Of, Gradient,
                         testing::Values(with_loss(LossKind::mean_squared), with_loss(LossKind::cross_entropy),
                                         with_experts(4, 2), with_experts(3, 1), with_experts(3, 3)),
                         [](const auto& instance) {
                             const Shape& shape = instance.param;
                             return shape.loss == LossKind::cross_entropy ? std::string("Classes")
                                    : shape.experts == 0                  ? std::string("Dense")
                                                         : fmt::format("Top{}Of{}Experts", shape.top_k, shape.experts);
                         });

}  // namespace
