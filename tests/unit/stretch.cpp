#include "libsim/goodput/stretch.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim::goodput;
using namespace std::chrono_literals;

// Work for 10 s, pause for 2 s: checkpoints are usable at 12, 24, 36 s.
TEST(Stretch, TakesACheckpointAfterEachInterval) {
    const Stretch stretch{.every = 10s, .blocks = 2s};
    EXPECT_EQ(stretch.end_of(0), 0s);
    EXPECT_EQ(stretch.end_of(3), 36s);
    EXPECT_EQ(stretch.at(11s).usable, 0);
    EXPECT_EQ(stretch.at(11s).worked, 10s);
    EXPECT_EQ(stretch.at(12s).usable, 1);
    EXPECT_EQ(stretch.at(29s).usable, 2);
    EXPECT_EQ(stretch.at(29s).worked, 25s);
}

TEST(Stretch, CanUseACheckpointOnlyWhenItIsWritten) {
    const Stretch stretch{.every = 10s, .blocks = 2s, .beside = 5s};
    EXPECT_EQ(stretch.at(16s).taken, 1);
    EXPECT_EQ(stretch.at(16s).usable, 0);
    EXPECT_EQ(stretch.at(16s).worked, 14s);
    EXPECT_EQ(stretch.at(17s).usable, 1);
    EXPECT_EQ(stretch.end_of(2), 24s);  // no waiting: the 5 s are over before the next one
}

// It works until 22 s, then waits for the first checkpoint to be written by 27 s; so each cycle takes 17 s.
TEST(Stretch, WaitsForTheCheckpointBeforeToBeWritten) {
    const Stretch stretch{.every = 10s, .blocks = 2s, .beside = 15s};
    EXPECT_EQ(stretch.end_of(1), 12s);
    EXPECT_EQ(stretch.end_of(2), 29s);
    EXPECT_EQ(stretch.end_of(3), 46s);
    EXPECT_EQ(stretch.at(26s).worked, 20s);
    EXPECT_EQ(stretch.at(26s).usable, 0);
    EXPECT_EQ(stretch.at(27s).usable, 1);
}

TEST(Stretch, MayEndWithAShorterInterval) {
    const Stretch stretch{.every = 10s, .blocks = 2s, .beside = 1s, .last = 3, .last_every = 4s};
    EXPECT_EQ(stretch.end(), 31s);  // 12 + 12 + 4 + 2, and 1 to write the last one
    EXPECT_EQ(stretch.at(30s).taken, 3);
    EXPECT_EQ(stretch.at(30s).usable, 2);
    EXPECT_EQ(stretch.at(31s).usable, 3);
    EXPECT_EQ(stretch.at(31s).worked, 24s);
    const Stretch short_one{.every = 10s, .blocks = 2s, .last = 1, .last_every = 3s};
    EXPECT_EQ(short_one.end(), 5s);
    EXPECT_EQ(short_one.at(4s).worked, 3s);
}

TEST(Stretch, FindsTheCheckpointThatEndsNotBeforeATime) {
    const Stretch stretch{.every = 10s, .blocks = 2s};
    EXPECT_EQ(stretch.first_from(0s), 1);
    EXPECT_EQ(stretch.first_from(12s), 1);
    EXPECT_EQ(stretch.first_from(13s), 2);
    EXPECT_EQ(stretch.first_from(36s), 3);
}

}  // namespace
