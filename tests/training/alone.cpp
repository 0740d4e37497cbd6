#include "scenarios/lesson/transformer/alone.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace sim::lesson;

TEST(UpdateRule, OfSgdGoesAlongTheMean) {
    UpdateRule optimizer(OptimizerKind::sgd, 2);
    std::vector<double> weights{1.0, -2.0};
    optimizer.step(weights, std::vector<double>{40.0, -8.0}, 4);
    EXPECT_EQ(weights, (std::vector<double>{1.0 - 0.03 * 10, -2.0 + 0.03 * 2}));
    EXPECT_EQ(states_per_weight(OptimizerKind::sgd), 0);
}

TEST(UpdateRule, OfAdamBeginsWithAStepOfItsRate) {
    // After bias correction, the first mean is g and the first square g^2.
    UpdateRule optimizer(OptimizerKind::adam, 2);
    std::vector<double> weights{1.0, -2.0};
    optimizer.step(weights, std::vector<double>{40.0, -8.0}, 4);
    EXPECT_NEAR(weights[0], 1 - 0.01 * 10 / (10 + 1e-6), 1e-15);
    EXPECT_NEAR(weights[1], -2 + 0.01 * 2 / (2 + 1e-6), 1e-15);
    EXPECT_EQ(states_per_weight(OptimizerKind::adam), 2);
}

TEST(UpdateRule, OfAdamRemembersMeanAndSquare) {
    // g = 1, then 3: m = 0.9 * 0.1 + 0.3 = 0.39, over 0.19; v = 0.999 * 0.001 + 0.009 = 0.009999, over 0.001999
    UpdateRule optimizer(OptimizerKind::adam, 1);
    std::vector<double> weights{0.0};
    optimizer.step(weights, std::vector<double>{1.0}, 1);
    const double first = weights[0];
    optimizer.step(weights, std::vector<double>{3.0}, 1);
    EXPECT_NEAR(weights[0] - first, -0.01 * (0.39 / 0.19) / (std::sqrt(0.009999 / 0.001999) + 1e-6), 1e-15);
}

TEST(UpdateRule, StepsAPartOfTheWeightsAsItStepsAll) {
    for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adam}) {
        std::vector<double> all{1.0, 2.0, 3.0};
        std::vector<double> part{2.0, 3.0};
        UpdateRule of_all(kind, 3);
        UpdateRule of_part(kind, 2);
        for (const double g : {0.5, -1.0, 4.0}) {
            of_all.step(all, std::vector<double>{g, 2 * g, g * g}, 3);
            of_part.step(part, std::vector<double>{2 * g, g * g}, 3);
        }
        EXPECT_EQ(part, (std::vector<double>{all[1], all[2]}));
    }
}

TEST(InitialWeights, AreWithinTheirBounds) {
    const Shape shape{};
    const std::vector<double> weights = initial_weights(shape, 1);
    EXPECT_EQ(weights.size(), weight_count(shape));
    EXPECT_EQ(weights, initial_weights(shape, 1));
    EXPECT_NE(weights, initial_weights(shape, 2));
    const double bound = std::sqrt(6.0 / (8 + 16));  // of We, which is first in the weights
    const auto [low, high] = std::minmax_element(weights.begin(), weights.begin() + 8 * 16);
    EXPECT_GT(*low, -bound);
    EXPECT_LT(*high, bound);
    const auto gain = weights.begin() + 8 * 16 + 16 + 8 * 16;  // of the first layer norm
    EXPECT_TRUE(std::all_of(gain, gain + 16, [](double g) { return g >= 0.9 && g < 1.1; }));
    EXPECT_TRUE(std::all_of(gain + 16, gain + 32, [](double b) { return b >= -0.1 && b < 0.1; }));
}

struct Lesson {
    Shape shape;
    OptimizerKind optimizer;
    int steps;
    double falls_to;  // fraction of the initial loss
};

class TrainAlone : public testing::TestWithParam<Lesson> {};

TEST_P(TrainAlone, LetsTheLossFall) {
    const auto& [shape, optimizer, steps, falls_to] = GetParam();
    for (const std::uint64_t seed : {1U, 2U}) {
        const Training training = train({.shape = shape, .seed = seed, .steps = steps, .optimizer = optimizer});
        EXPECT_LT(training.loss_after, falls_to * training.loss_before) << "seed " << seed;
        EXPECT_EQ(training.loss_after, mean_loss(shape, training.weights, seed, 16));
    }
}

INSTANTIATE_TEST_SUITE_P(Of, TrainAlone,
                         testing::Values(Lesson{{}, OptimizerKind::sgd, 60, 0.5},
                                         Lesson{{}, OptimizerKind::adam, 60, 0.2},
                                         Lesson{{.loss = LossKind::cross_entropy}, OptimizerKind::adam, 40, 0.5},
                                         Lesson{{.experts = 4}, OptimizerKind::sgd, 40, 0.5},
                                         Lesson{{.experts = 4}, OptimizerKind::adam, 40, 0.2}));

TEST(TrainAlone, OfNoStepsChangesNothing) {
    const Training training = train({.steps = 0});
    EXPECT_EQ(training.weights, initial_weights({}, 1));
    EXPECT_EQ(training.loss_after, training.loss_before);
}

}  // namespace
