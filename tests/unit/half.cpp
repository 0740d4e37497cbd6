#include "libsim/collectives/half.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace sim;
using collectives::Half;

constexpr float endless = std::numeric_limits<float>::infinity();

TEST(Half, OfEveryBitPatternIsAFloatThatComesBackAsItIs) {
    for (unsigned bits = 0; bits <= 0xffffU; ++bits) {
        const Half value = Half::of_bits(static_cast<std::uint16_t>(bits));
        const float as_float = value;
        if (std::isnan(as_float)) {
            ASSERT_TRUE(std::isnan(static_cast<float>(Half(as_float)))) << bits;
        } else {
            ASSERT_EQ(Half(as_float).bits(), bits);
            ASSERT_EQ(Half(static_cast<double>(as_float)).bits(), bits);
        }
    }
}

TEST(Half, HasTheValuesOfIeee754) {
    EXPECT_EQ(Half::of_bits(0x3c00), 1.0F);
    EXPECT_EQ(Half::of_bits(0xc000), -2.0F);
    EXPECT_EQ(Half::of_bits(0x7bff), 65504.0F);               // the largest
    EXPECT_EQ(Half::of_bits(0x0400), std::ldexp(1.0F, -14));  // the smallest normal
    EXPECT_EQ(Half::of_bits(0x0001), std::ldexp(1.0F, -24));  // the smallest of all
    EXPECT_EQ(Half::of_bits(0x3555), 0.333251953125F);        // the nearest to a third
    EXPECT_EQ(Half(0.1).bits(), 0x2e66);
    EXPECT_EQ(Half(-0.0).bits(), 0x8000);
}

TEST(Half, RoundsToTheNearestAndTiesToEvenAndADoubleOnce) {
    EXPECT_EQ(Half(2049), 2048.0F);  // a tie
    EXPECT_EQ(Half(2051), 2052.0F);  // a tie, rounded up
    EXPECT_EQ(Half(2049.0001), 2050.0F);
    EXPECT_EQ(Half(2049 + 1e-12), 2050.0F);           // would be a tie as a float
    EXPECT_EQ(Half(std::ldexp(1.0, -25)).bits(), 0);  // a tie with zero
    EXPECT_EQ(Half(std::ldexp(1.5, -25)).bits(), 1);
    EXPECT_EQ(Half(std::ldexp(2047.5, -25)).bits(), 0x0400);  // rounds to the smallest normal
    EXPECT_EQ(Half(1e-300).bits(), 0);
}

TEST(Half, BecomesInfiniteBeyondItsRange) {
    EXPECT_EQ(Half(65519.99), 65504.0F);
    EXPECT_EQ(Half(65520), endless);
    EXPECT_EQ(Half(-1e300), -endless);
    EXPECT_EQ(Half(std::numeric_limits<double>::infinity()), endless);
}

// None of its neighbours is nearer.
TEST(Half, IsNearestToRandomDoubles) {
    test::Random random(7);
    for (int i = 0; i < 100'000; ++i) {
        const double value = std::ldexp(1.0 + random.below(1 << 30) / double(1 << 30), random.below(38) - 23);
        const Half rounded(value);
        const auto distance = [value](unsigned bits) {
            const float at = Half::of_bits(static_cast<std::uint16_t>(bits));
            return std::abs(static_cast<double>(at) - value);
        };
        ASSERT_LE(distance(rounded.bits()), distance(rounded.bits() + 1U)) << value;
        ASSERT_LE(distance(rounded.bits()), distance(rounded.bits() - 1U)) << value;
    }
}

}  // namespace
