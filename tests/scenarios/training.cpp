#include "scenarios/training/alone.hpp"
#include "scenarios/training/random.hpp"
#include "scenarios/training/sgd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using namespace sim::training;

TEST(Random, GivesTheNumbersOfSplitMix64) {
    // Of the reference implementation, from seed 0.
    Random random(0, 0);
    EXPECT_EQ(random.next(), 0xe220a8397b1dcdafU);
    EXPECT_EQ(random.next(), 0x6e789e6aa1b965f4U);
    EXPECT_EQ(random.next(), 0x06c45d188009454fU);
}

TEST(Random, HasStreamsThatDiffer) {
    EXPECT_NE(Random(0, 0).next(), Random(0, 1).next());
    EXPECT_NE(Random(0, 0).next(), Random(1, 0).next());
}

TEST(Random, StaysWithinItsBounds) {
    Random random(7, 3);
    double sum = 0;
    for (int i = 0; i < 10'000; ++i) {
        const double x = random.between(-2, 6);
        ASSERT_GE(x, -2);
        ASSERT_LT(x, 6);
        sum += x;
    }
    EXPECT_NEAR(sum / 10'000, 2, 0.1);  // mean 2, standard deviation of the mean 8 / sqrt(12 x 10,000) = 0.023
}

TEST(Model, OfFourLayersHas756Weights) {
    // 8 -> 16: 144, 16 -> 16: 272, twice, 16 -> 4: 68
    EXPECT_EQ(Model(4).weight_count(), 144U + 2 * 272U + 68U);
    EXPECT_EQ(Model(1).weight_count(), 8U * 4U + 4U);
    EXPECT_EQ(Model(4).layers().size(), 4U);
}

class Gradient : public testing::TestWithParam<int> {};

TEST_P(Gradient, EqualsFiniteDifferencesOfTheLoss) {
    const Model model(GetParam());
    const Item item = make_item(3, 5);
    std::vector<double> weights = model.initial_weights(3);
    std::vector<double> gradient(weights.size(), 0.0);
    EXPECT_EQ(model.add_gradient(weights, item, gradient), model.loss(weights, item));
    constexpr double step = 1e-6;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double weight = weights[i];
        weights[i] = weight + step;
        const double above = model.loss(weights, item);
        weights[i] = weight - step;
        const double below = model.loss(weights, item);
        weights[i] = weight;
        ASSERT_NEAR(gradient[i], (above - below) / (2 * step), 1e-8) << "weight " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(OfLayers, Gradient, testing::Values(1, 2, 4, 7));

TEST(Gradient, IsAddedToWhatIsThere) {
    const Model model(2);
    const std::vector<double> weights = model.initial_weights(1);
    std::vector<double> once(weights.size(), 0.0);
    std::vector<double> twice(weights.size(), 0.0);
    model.add_gradient(weights, make_item(1, 0), once);
    model.add_gradient(weights, make_item(1, 0), twice);
    model.add_gradient(weights, make_item(1, 0), twice);
    for (std::size_t i = 0; i < once.size(); ++i) {
        ASSERT_EQ(twice[i], once[i] + once[i]);
    }
}

TEST(Items, FollowFromSeedAndNumberAlone) {
    EXPECT_EQ(make_item(1, 4).input, make_item(1, 4).input);
    EXPECT_NE(make_item(1, 4).input, make_item(1, 5).input);
    EXPECT_NE(make_item(1, 4).input, make_item(2, 4).input);
}

TEST(Items, HaveTheTeachersTargets) {
    const Item item = make_item(9, 0);
    EXPECT_EQ(item.target[1], std::tanh(item.input[2] + 2 * item.input[2] * item.input[3] - 0.5 * item.input[3]));
}

TEST(Share, IsThatOfArraySplit) {
    // numpy.array_split(range(10), 4): 3, 3, 2, 2
    const int first[] = {0, 3, 6, 8};
    const int count[] = {3, 3, 2, 2};
    for (int rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(share_of(10, 4, rank).first, first[rank]);
        EXPECT_EQ(share_of(10, 4, rank).count, count[rank]);
    }
}

TEST(Share, OfAllRanksIsEveryItemOnce) {
    for (int items = 1; items <= 40; ++items) {
        for (int ranks = 1; ranks <= items; ++ranks) {
            int next = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                const Share share = share_of(items, ranks, rank);
                ASSERT_EQ(share.first, next);
                ASSERT_GE(share.count, 1);
                next += share.count;
            }
            ASSERT_EQ(next, items);
        }
    }
}

TEST(Sgd, GoesAlongTheMeanOfTheSum) {
    std::vector<double> weights{1.0, -2.0};
    sgd_step(weights, std::vector<double>{40.0, -8.0}, 4);
    EXPECT_EQ(weights, (std::vector<double>{1.0 - 0.1 * 10, -2.0 + 0.1 * 2}));
}

TEST(Training, LetsTheLossFall) {
    for (const std::uint64_t seed : {0U, 1U, 2U, 77U}) {
        for (const int layers : {1, 2, 4, 8}) {
            const Model model(layers);
            const Share all{.first = 0, .count = 16};
            double before = loss_sum(model, model.initial_weights(seed), seed, all);
            for (const int steps : {1, 20, 400}) {
                const std::vector<double> weights = train_alone({.seed = seed, .layers = layers, .steps = steps});
                const double after = loss_sum(model, weights, seed, all);
                EXPECT_LT(after, before) << "seed " << seed << ", " << layers << " layers, " << steps << " steps";
                before = after;
            }
        }
    }
}

TEST(RelativeDifference, IsOfTheLargerWeight) {
    const std::vector<double> a{1.0, -4.0, 0.0};
    EXPECT_EQ(relative_difference(a, a), 0);
    EXPECT_EQ(relative_difference(a, std::vector<double>{1.0, -3.0, 0.0}), 0.25);
    EXPECT_EQ(relative_difference(a, std::vector<double>{1.0, -4.0, 1e-300}), 1);
}

TEST(RelativeDifference, IsInfiniteWhereWeightsCannotBeCompared) {
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(relative_difference(std::vector<double>{1.0}, std::vector<double>{std::nan("")}), infinity);
    EXPECT_EQ(relative_difference(std::vector<double>{std::nan("")}, std::vector<double>{std::nan("")}), infinity);
    EXPECT_EQ(relative_difference(std::vector<double>{1.0}, std::vector<double>{infinity}), infinity);
    EXPECT_EQ(relative_difference(std::vector<double>{1.0}, std::vector<double>{}), infinity);
}

}  // namespace
