#include "libsim/units.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr Duration ps(std::int64_t n) {
    return Duration{n};
}

TEST(TimeFor, RoundsUpSoThatNothingNonEmptyTakesNoTime) {
    const Pace three_bytes_a_picosecond = pace_of(3'000 * GB_per_s);
    EXPECT_EQ(time_for(0, three_bytes_a_picosecond), ps(0));
    EXPECT_EQ(time_for(1, three_bytes_a_picosecond), ps(1));
    EXPECT_EQ(time_for(3, three_bytes_a_picosecond), ps(1));
    EXPECT_EQ(time_for(4, three_bytes_a_picosecond), ps(2));
}

TEST(TimeFor, IsExactWhereTheProductNeedsMoreThan64Bits) {
    // 8e15 B at 1 GB/s = 8e6 s; the product in picoseconds is 8e27.
    EXPECT_EQ(time_for(8'000'000'000'000'000, pace_of(GB_per_s)), Duration{8'000'000s});
}

TEST(TimeFor, BeyondTheRangeOfSimulatedTimeIsAnOverflowError) {
    EXPECT_THROW(time_for(std::numeric_limits<std::int64_t>::max(), pace_of(MB_per_s)), std::overflow_error);
}

TEST(Later, BeyondTheRangeOfSimulatedTimeIsAnOverflowError) {
    EXPECT_THROW(later(Time{Duration::max()}, ps(1)), std::overflow_error);
    EXPECT_EQ(later(Time{ps(1)}, ps(2)), Time{ps(3)});
}

TEST(PaceOfUnit, TakesDecimalFractionsExactly) {
    const auto one_unit_at = [](double s) { return time_for(Units(1).billionths(), pace_of_unit(s)); };
    EXPECT_EQ(one_unit_at(0.1), Duration{100ms});
    EXPECT_EQ(one_unit_at(0.07), Duration{70ms});
    EXPECT_EQ(one_unit_at(1.7), Duration{1700ms});
    EXPECT_EQ(one_unit_at(123.456789), Duration{123'456'789us});
    EXPECT_EQ(one_unit_at(1e-9), Duration{1ns});
    EXPECT_EQ(one_unit_at(1e-15), ps(1));  // a thousandth of a picosecond, rounded up
}

TEST(PaceOfUnit, RefusesWhatIsNoRate) {
    EXPECT_THROW(pace_of_unit(-0.1), std::out_of_range);
    EXPECT_THROW(pace_of_unit(std::numeric_limits<double>::quiet_NaN()), std::out_of_range);
    EXPECT_THROW(pace_of_unit(std::numeric_limits<double>::infinity()), std::out_of_range);
    EXPECT_THROW(pace_of(Bandwidth{0}), std::out_of_range);
    EXPECT_THROW(pace_of(FlopRate{-1}), std::out_of_range);
}

TEST(Slowed, MultipliesThePaceWithoutRounding) {
    const Pace slow = slowed(pace_of_unit(0.1), 2.5);
    EXPECT_EQ(time_for(Units(20).billionths(), slow), Duration{5s});
    EXPECT_EQ(slowed(pace_of_unit(0.1), 1.0), pace_of_unit(0.1));
}

TEST(Slowed, TakesAnyTwoFactorsAndIsRightToFifteenDigits) {
    test::Random random(5);
    for (int trial = 0; trial < 1000; ++trial) {
        const double pace = 1e-6 + random.below(1 << 30) / 7e9;
        const double factor = 0.1 + random.below(1 << 30) / 3e8;
        const Duration exact = time_for(Units(1'000'000).billionths(), slowed(pace_of_unit(pace), factor));
        ASSERT_NEAR(static_cast<double>(exact.count()) / (pace * factor * 1e18), 1.0, 1e-14) << pace << " " << factor;
    }
}

TEST(Units, ComeFromAnyKindOfWholeNumberAndAddUp) {
    EXPECT_EQ(Units(std::size_t{5}), Units(5));
    EXPECT_EQ(Units(std::int64_t{5}) + Units(1.5), Units(6.5));
    EXPECT_EQ(3 * Units(2), Units(7) - Units(1U));
}

TEST(Units, KeepAThirdOfFiveHundredToABillionth) {
    EXPECT_EQ(ceil_div(Size(Units(500)), 3).amount, 166'666'666'667);
    EXPECT_DOUBLE_EQ(Units(12.5).value(), 12.5);
}

TEST(Units, RefuseWhatTheyCannotHold) {
    EXPECT_THROW(Units{1e10}, std::out_of_range);
    EXPECT_THROW(Units{std::numeric_limits<double>::quiet_NaN()}, std::out_of_range);
}

TEST(CeilDiv, RoundsUpAndKeepsWholeParts) {
    EXPECT_EQ(ceil_div(std::int64_t{10}, 5), 2);
    EXPECT_EQ(ceil_div(std::int64_t{11}, 5), 3);
    EXPECT_EQ(ceil_div(std::int64_t{0}, 5), 0);
    EXPECT_EQ(ceil_div(1_MB, 3).count, 333'334);
}

TEST(DurationOfSeconds, RoundsToTheNearestPicosecondAndRefusesNonsense) {
    EXPECT_EQ(duration_of_seconds(0.05), Duration{50ms});
    EXPECT_THROW(duration_of_seconds(-1), std::out_of_range);
    EXPECT_THROW(duration_of_seconds(1e9), std::out_of_range);
}

TEST(Literals, CountFlopsAndBytesByThousandsAndBytesBy1024) {
    EXPECT_EQ(3_MFLOP, Flops{3'000'000});
    EXPECT_EQ(3_GFLOP, 1000 * 3_MFLOP);
    EXPECT_EQ(3_TFLOP, 1000 * 3_GFLOP);
    EXPECT_EQ(3_PFLOP, 1000 * 3_TFLOP);
    EXPECT_EQ(2_TB, 1000 * 2_GB);
    EXPECT_EQ(2_GiB, 1024 * 2_MiB);
}

TEST(Work, OfATimeIsItsPicoseconds) {
    const Work work = 3ms;
    EXPECT_EQ(work.measure, Measure::picoseconds);
    EXPECT_EQ(work.amount, 3'000'000'000);
}

TEST(Work, OfATimeBeyondTheRangeOfSimulatedTimeIsAnOverflowError) {
    EXPECT_EQ(Work{2562h}.amount, 2562 * 3600 * 1'000'000'000'000);
    EXPECT_THROW(Work{2563h}, std::overflow_error);
}

}  // namespace
