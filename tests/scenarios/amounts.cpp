// Amounts as printed: every printer in the code uses one of these.
#include "libsim/report/amounts.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::report;
using namespace std::chrono_literals;

TEST(Amounts, HaveFourFiguresAndTheLargestUnitOfWhichThereIsOne) {
    EXPECT_EQ(time_text(0.0032125), "3.212 ms");
    EXPECT_EQ(time_text(0.99996), "1.000 s");  // rather than 1000 ms
    EXPECT_EQ(bytes_text(84'929'347'584.0), "84.93 GB");
    EXPECT_EQ(signed_time_text(-0.0012), "-1.200 ms");
    EXPECT_EQ(signed_time_text(2), "+2.000 s");
}

TEST(Amounts, InOneUnitCompareByTheirDigits) {
    EXPECT_EQ(in_seconds(16.1), "16.100 s");
    EXPECT_EQ(in_microseconds(0.0012), "1200 us");
    EXPECT_EQ(in_gigabytes_per_second(450e9), "450 GB/s");
}

TEST(Amounts, OfSimulatedTimeHaveNoTrailingZeros) {
    const auto text = [](std::int64_t picoseconds) { return time_text(Time{Duration{picoseconds}}, 4); };
    EXPECT_EQ(text(0), "0 s");
    EXPECT_EQ(text(7), "7 ps");
    EXPECT_EQ(text(20'000'000), "20 us");
    EXPECT_EQ(text(16'100'000'000'000), "16.1 s");
    EXPECT_EQ(text(7'200'000'000'000'000), "7200 s");  // hours can be typed, but are never printed
}

TEST(Amounts, OfBytesStayInASmallerUnitUntilThereAreEnoughOfALargerOne) {
    EXPECT_EQ(bytes_text(1'536, 7), "1.536 kB");
    EXPECT_EQ(bytes_text(9'999, 7, 10), "9999 B");
    EXPECT_EQ(bytes_text(10'000, 7, 10), "10 kB");
    EXPECT_EQ(bytes_text(9'999'999, 7, 10), "9999.999 kB");
    EXPECT_EQ(bytes_text(64'000'000'000, 4), "64 GB");
}

}  // namespace
