#include "libsim/parallel/online_softmax.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using sim::OnlineSoftmax;

struct Mean {
    std::vector<double> output;
    double log_sum = 0;
};

// Merges rows of two values in blocks of the given sizes.
Mean merged(const std::vector<double>& scores, const std::vector<double>& values, std::vector<std::size_t> blocks) {
    OnlineSoftmax softmax;
    Mean mean{.output = {0, 0}};
    std::size_t begin = 0;
    for (const std::size_t block : blocks) {
        softmax.add(std::span(scores).subspan(begin, block), std::span(values).subspan(2 * begin), 2, mean.output);
        begin += block;
    }
    softmax.finish(mean.output);
    mean.log_sum = softmax.log_sum();
    return mean;
}

TEST(OnlineSoftmax, OfEqualScoresIsTheMean) {
    const Mean mean = merged({3, 3, 3, 3}, {1, 10, 2, 20, 3, 30, 6, 60}, {4});
    EXPECT_EQ(mean.output, (std::vector<double>{3, 30}));
    EXPECT_EQ(mean.log_sum, 3 + std::log(4.0));
}

TEST(OnlineSoftmax, OfOneScoreIsItsValueRow) {
    EXPECT_EQ(merged({-700}, {5, -2}, {1}).output, (std::vector<double>{5, -2}));
}

TEST(OnlineSoftmax, WeighsByTheExponential) {
    // exp(log 3) : exp(0) = 3 : 1
    const Mean mean = merged({std::log(3.0), 0}, {4, 0, 0, 4}, {2});
    EXPECT_DOUBLE_EQ(mean.output[0], 3);
    EXPECT_DOUBLE_EQ(mean.output[1], 1);
    EXPECT_DOUBLE_EQ(mean.log_sum, std::log(4.0));
}

TEST(OnlineSoftmax, IsTheSameInAnyBlocks) {
    const std::vector<double> scores{-2, 5, 1, 7, 7.5, -30};
    const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    double sum = 0;
    double first = 0;
    double second = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        sum += std::exp(scores[i]);
        first += std::exp(scores[i]) * values[2 * i];
        second += std::exp(scores[i]) * values[2 * i + 1];
    }
    for (const std::vector<std::size_t>& blocks :
         std::vector<std::vector<std::size_t>>{{6}, {1, 1, 1, 1, 1, 1}, {2, 4}, {4, 2}, {3, 0, 3}}) {
        const Mean mean = merged(scores, values, blocks);
        EXPECT_NEAR(mean.output[0], first / sum, 1e-14);
        EXPECT_NEAR(mean.output[1], second / sum, 1e-14);
        EXPECT_NEAR(mean.log_sum, std::log(sum), 1e-14);
    }
}

TEST(OnlineSoftmax, DoesNotOverflowWhereTheExponentialWould) {
    const Mean mean = merged({1000, 1000, -1000}, {2, 2, 4, 4, 100, 100}, {1, 2});
    EXPECT_EQ(mean.output, (std::vector<double>{3, 3}));
    EXPECT_EQ(mean.log_sum, 1000 + std::log(2.0));
}

TEST(OnlineSoftmax, ReadsValueRowsThatLieApart) {
    OnlineSoftmax softmax;
    std::vector<double> output(1);
    softmax.add(std::vector<double>{0, 0}, std::vector<double>{1, -99, -99, 3}, 3, output);
    softmax.finish(output);
    EXPECT_EQ(output[0], 2);
}

}  // namespace
