#include "tools/command_line/progress.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim::command_line;

TEST(Progress, FillsItsBarWithWhatIsDone) {
    EXPECT_EQ(progress_line(0, 20, "1K"), "[--------------------]  0 of 20  1K");
    EXPECT_EQ(progress_line(14, 20, "16M"), "[##############------]  14 of 20  16M");
    EXPECT_EQ(progress_line(3, 3, ""), "[####################]  3 of 3  ");
    EXPECT_EQ(progress_line(0.37, "37 % done"), "[#######-------------]  37 % done");
    EXPECT_EQ(progress_line(1.0, ""), "[####################]  ");
}

TEST(Progress, SaysNothingWhereStandardErrorIsNoTerminal) {
    testing::internal::CaptureStderr();
    {
        Progress progress(2);
        progress.at(1, "x");
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
