// Minima of coordinate descent, worked out by hand.
#include "libsim/fit/calibration/coordinate_descent.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim::fit;

// (x - 3)^2 + (y + 1)^2 with y at least 0 has its minimum at (3, 0).
TEST(CoordinateDescent, FindsTheLeastWithinItsBounds) {
    const auto bowl = [](const std::vector<double>& at) {
        return (at[0] - 3) * (at[0] - 3) + (at[1] + 1) * (at[1] + 1);
    };
    const Descent found = coordinate_descent(
        {{.value = 1, .lowest = 0, .highest = 10, .step = 0.5}, {.value = 5, .lowest = 0, .highest = 9, .step = 0.5}},
        200, bowl);
    EXPECT_NEAR(found.values[0], 3, 0.01);
    EXPECT_EQ(found.values[1], 0);
    EXPECT_NEAR(found.least, 1, 1e-4);
    EXPECT_LE(found.calls, 1 + 2 * 2 * 200);
}

}  // namespace
