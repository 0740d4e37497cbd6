#include "libsim/kernel/parts/describe.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::kernel;
using namespace std::chrono_literals;

TEST(DescribeTime, IsExactInTheLargestUnitThatFits) {
    EXPECT_EQ(describe_time(Time{}), "0 s");
    EXPECT_EQ(describe_time(Time{16100ms}), "16.1 s");
    EXPECT_EQ(describe_time(Time{150us}), "150 us");
    EXPECT_EQ(describe_time(Time{Duration{1}}), "1 ps");
    EXPECT_EQ(describe_time(Time{Duration{1'000'000'000'001}}), "1.000000000001 s");
}

TEST(DescribeAmount, SaysWhatItCounts) {
    EXPECT_EQ(describe_amount(4096, Measure::bytes), "4096 B");
    EXPECT_EQ(describe_amount(Units(12.5).billionths(), Measure::units), "12.5 units");
    EXPECT_EQ(describe_amount(Units(1).billionths(), Measure::units), "1 unit");
    EXPECT_EQ(describe_amount(1'500'000'000, Measure::picoseconds), "1.5 ms");
}

TEST(Describe, NamesTheAlgorithmOfAnAllReduceUnlessItIsTheRing) {
    Op op{.kind = OpKind::collective, .amount = 12};
    op.bytes = std::bit_cast<std::uint64_t>(
        CollectiveWord{.kind = CollectiveKind::all_reduce, .algorithm = Algorithm::parameter_server});
    EXPECT_EQ(describe(op), "all-reduce of 12 B, parameter-server");
    op.bytes = std::bit_cast<std::uint64_t>(CollectiveWord{.kind = CollectiveKind::all_reduce});
    EXPECT_EQ(describe(op), "all-reduce of 12 B");
}

TEST(Describe, SaysHowLongAQuestionWaits) {
    EXPECT_EQ(describe({.kind = OpKind::look, .peer = 2}), "ask for a message from 2");
    EXPECT_EQ(describe({.kind = OpKind::look, .peer = 2, .amount = until_there}), "wait for a message from 2");
    EXPECT_EQ(describe({.kind = OpKind::look, .tag = 3, .amount = 3'000'000'000}),
              "wait at most 3 ms for a message from any rank, tag 3");
    EXPECT_EQ(describe({.kind = OpKind::test, .tag = static_cast<std::int32_t>(TestOf::last_of_several), .amount = 4}),
              "wait for the first of several asynchronous ops");
}

}  // namespace
