#include "scenarios/report/agreement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using namespace sim::scenarios;

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
