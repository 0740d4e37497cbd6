#include "libsim/collectives/bfloat16.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace sim;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Bfloat16, OfEveryBitPatternIsAFloatThatComesBackAsItIs) {
    for (unsigned bits = 0; bits <= 0xffffU; ++bits) {
        const Bfloat16 value = Bfloat16::of_bits(static_cast<std::uint16_t>(bits));
        const float as_float = value;
        if (std::isnan(as_float)) {
            ASSERT_TRUE(std::isnan(static_cast<float>(Bfloat16(as_float)))) << bits;
        } else {
            ASSERT_EQ(Bfloat16(as_float).bits(), bits);
            ASSERT_EQ(Bfloat16(static_cast<double>(as_float)).bits(), bits);
        }
    }
}

TEST(Bfloat16, RoundsToTheNearestAndTiesToEven) {
    EXPECT_EQ(Bfloat16(1.0 + 1.0 / 256), 1.0F);               // a tie: 1 is even, 1 + 1/128 is not
    EXPECT_EQ(Bfloat16(1.0 + 3.0 / 256), 1.0F + 4.0F / 256);  // a tie, rounded up
    EXPECT_EQ(Bfloat16(1.0 + 1.0001 / 256), 1.0F + 2.0F / 256);
    EXPECT_EQ(Bfloat16(-(1.0 + 0.9999 / 256)), -1.0F);
    EXPECT_EQ(Bfloat16(0.1).bits(), 0x3dcd);
    EXPECT_EQ(Bfloat16(257), 256.0F);
}

TEST(Bfloat16, RoundsADoubleOnceNotTwice) {
    // Rounded to a float first, this would be a tie, and go down.
    EXPECT_EQ(Bfloat16(1.0 + 1.0 / 256 + 1e-12), 1.0F + 2.0F / 256);
    EXPECT_EQ(Bfloat16(1.0 + 3.0 / 256 - 1e-12), 1.0F + 2.0F / 256);
    EXPECT_EQ(Bfloat16(1e-300).bits(), 0);
    EXPECT_EQ(Bfloat16(-1e-300).bits(), 0x8000);
}

// None of its neighbours is nearer.
TEST(Bfloat16, IsNearestToRandomDoubles) {
    test::Random random(7);
    for (int i = 0; i < 100'000; ++i) {
        const double value = std::ldexp(1.0 + random.below(1 << 30) / double(1 << 30), random.below(200) - 100);
        const Bfloat16 rounded(value);
        const auto distance = [value](unsigned bits) {
            const float at = Bfloat16::of_bits(static_cast<std::uint16_t>(bits));
            return std::abs(static_cast<double>(at) - value);
        };
        ASSERT_LE(distance(rounded.bits()), distance(rounded.bits() + 1U)) << value;
        ASSERT_LE(distance(rounded.bits()), distance(rounded.bits() - 1U)) << value;
    }
}

TEST(Bfloat16, KeepsInfinitiesAndNaNAndBecomesInfiniteBeyondItsRange) {
    EXPECT_EQ(Bfloat16(infinity), std::numeric_limits<float>::infinity());
    EXPECT_EQ(Bfloat16(-infinity), -std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(static_cast<float>(Bfloat16(std::numeric_limits<double>::quiet_NaN()))));
    EXPECT_TRUE(std::isnan(static_cast<float>(Bfloat16(std::bit_cast<float>(0x7f800001U)))));
    EXPECT_EQ(Bfloat16(1e300), std::numeric_limits<float>::infinity());
    EXPECT_EQ(Bfloat16(std::numeric_limits<float>::max()), std::numeric_limits<float>::infinity());
    EXPECT_EQ(Bfloat16(3.3895313892515355e38).bits(), 0x7f7f);  // the largest
}

}  // namespace
