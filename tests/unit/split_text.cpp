#include "libsim/split.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::ElementsAre;

TEST(SplitOfATextAtASeparator, HasEmptyPartsToo) {
    EXPECT_THAT(sim::split("1,2,,4", ','), ElementsAre("1", "2", "", "4"));
    EXPECT_THAT(sim::split("tp-cp-", '-'), ElementsAre("tp", "cp", ""));
    EXPECT_THAT(sim::split(",", ','), ElementsAre("", ""));
}

TEST(SplitOfATextAtASeparator, IsTheWholeTextWhereNoneIsInIt) {
    EXPECT_THAT(sim::split("all", ','), ElementsAre("all"));
    EXPECT_THAT(sim::split("", ','), ElementsAre(""));
}

}  // namespace
