#include "scenarios/report/outcome.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using namespace sim::scenarios;

double difference(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& start) {
    return relative_difference({a, b, start});
}

TEST(RelativeDifference, IsOfTheLargerWeight) {
    const std::vector<double> a{1.0, -4.0, 0.0};
    const std::vector<double> start{0.5, -0.5, 0.0};
    EXPECT_EQ(difference(a, a, start), 0);
    EXPECT_EQ(difference(a, {1.0, -3.0, 0.0}, start), 0.25);
    EXPECT_EQ(difference(a, {1.0, -4.0, 1e-300}, start), 1);
}

TEST(RelativeDifference, IsOfWhereAWeightStartedIfThatWasFartherFromZero) {
    EXPECT_EQ(difference({0.25}, {-0.25}, {2.0}), 0.25);
    EXPECT_EQ(difference({0.0}, {0.0}, {2.0}), 0);
}

TEST(RelativeDifference, IsInfiniteWhereWeightsCannotBeCompared) {
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(difference({1.0}, {std::nan("")}, {1.0}), infinity);
    EXPECT_EQ(difference({std::nan("")}, {std::nan("")}, {1.0}), infinity);
    EXPECT_EQ(difference({1.0}, {infinity}, {1.0}), infinity);
    EXPECT_EQ(difference({1.0}, {}, {1.0}), infinity);
}

}  // namespace
