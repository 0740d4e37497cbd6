#include "libsim/random.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;

TEST(Random, GivesTheNumbersOfSplitMix64) {
    // Values of the reference implementation, from seed 0.
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

}  // namespace
