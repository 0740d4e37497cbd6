#include "scenarios/lesson/transformer/alone.hpp"
#include "scenarios/lesson/transformer/mixture.hpp"
#include "scenarios/lesson/transformer/stage.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace sim::lesson;

TEST(Routing, TakesTheHighestInOrderOfTokensAndOfExpertsWithin) {
    Matrix logits(2, 3);
    logits << 1, 0, 1 + std::log(3.0), 5, 4, 3;
    const std::vector<ExpertChoice> choices = choose_experts(logits, 2);
    ASSERT_EQ(choices.size(), 4U);
    const int expected[][2] = {{0, 0}, {2, 0}, {0, 1}, {1, 1}};  // expert, token
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(choices[i].expert, expected[i][0]);
        EXPECT_EQ(choices[i].token, expected[i][1]);
    }
    EXPECT_DOUBLE_EQ(choices[0].gate, 0.25);  // 1 : 3
    EXPECT_DOUBLE_EQ(choices[1].gate, 0.75);
}

TEST(Routing, PrefersTheLowerNumberAmongEquals) {
    const std::vector<ExpertChoice> choices = choose_experts(Matrix::Zero(1, 4), 2);
    EXPECT_EQ(choices[0].expert, 0);
    EXPECT_EQ(choices[1].expert, 1);
    EXPECT_EQ(choices[0].gate, 0.5);
}

TEST(Routing, HasNoGradientWhereOneExpertIsChosen) {
    Matrix logits(1, 2);
    logits << 0.3, 0.1;
    EXPECT_EQ(choice_gradient(choose_experts(logits, 1), {17.0}, 1, 2), Matrix::Zero(1, 2));
}

TEST(Experts, ThatSeeNoTokenHaveNoGradient) {
    // With a router of zeros every token goes to experts 0 and 1; experts 2 and 3 stay empty.
    const Shape shape{.layers = 1, .experts = 4};
    std::vector<double> weights = initial_weights(shape, 1);
    const WeightLayout layout = layout_of(shape, whole(shape));
    const auto& mixture = std::get<Mixture>(layout.blocks[0].feed_forward);
    for (std::size_t i = mixture.router.begin; i < mixture.router.end(); ++i) {
        weights[i] = 0;
    }
    Stage stage(shape, whole(shape));
    std::vector<double> gradient(weights.size());
    stage.forward(weights, 0, make_batch(shape, 1, {.first = 0, .count = 2}));
    stage.backward(weights, 0, {}, gradient);
    const auto any = [&](const FeedForward& expert) {
        bool result = false;
        for (std::size_t i = expert.up.begin; i < expert.down_bias.end(); ++i) {
            result = result || gradient[i] != 0;
        }
        return result;
    };
    EXPECT_TRUE(any(mixture.experts[0]));
    EXPECT_TRUE(any(mixture.experts[1]));
    EXPECT_FALSE(any(mixture.experts[2]));
    EXPECT_FALSE(any(mixture.experts[3]));
}

TEST(Experts, ThatAreAllTheSameAreOne) {
    // Gates add up to 1, so that equal experts compute the same as one dense feed-forward layer.
    const Shape dense{.layers = 1};
    const Shape shape{.layers = 1, .experts = 3, .top_k = 2};
    std::vector<double> weights = initial_weights(shape, 1);
    const std::vector<LayerWeights> segments = Stage(shape, whole(shape)).segments();
    const std::size_t begin = segments[1].dense_end;
    const std::size_t each = (segments[1].end - begin) / 3;
    for (std::size_t i = 0; i < each; ++i) {
        weights[begin + each + i] = weights[begin + 2 * each + i] = weights[begin + i];
    }
    std::vector<double> dense_weights;
    const std::size_t router = 16 * 3;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (i < begin - router || (i >= begin && i < begin + each) || i >= segments[1].end) {
            dense_weights.push_back(weights[i]);
        }
    }
    EXPECT_NEAR(mean_loss(shape, weights, 1, 4), mean_loss(dense, dense_weights, 1, 4), 1e-14);
}

}  // namespace
