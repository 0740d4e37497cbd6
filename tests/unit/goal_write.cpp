// The text of GOAL schedules, written and read back.
#include "libsim/interop/goal/text.hpp"
#include "libsim/interop/goal/write.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace {

using namespace sim::goal;

std::string written(const GoalSchedule& schedule, const std::string& comment = "") {
    std::ostringstream out;
    write_text(out, schedule, comment);
    return out.str();
}

TEST(WrittenGoal, NamesAllOperationsAndWhoWaitsForWhom) {
    const std::string text =
        "num_ranks 3\nrank 1 {\nb requires a\na: send 64b to 0 tag 7 cpu 1 nic 2\nb: calc 9 cpu 3\nb irequires c\n"
        "c: recv 0b from -1 tag -1\n}\nrank 0 {\nrecv 64b from 1 tag 7\n}\n";
    EXPECT_EQ(written(parse(text, "x"), "one\ntwo"),
              "// one\n// two\nnum_ranks 3\n"
              "\nrank 0 {\nl1: recv 64b from 1 tag 7\n}\n"
              "\nrank 1 {\nl1: send 64b to 0 tag 7 cpu 1 nic 2\nl2: calc 9 cpu 3\nl2 requires l1\n"
              "l3: recv 0b from -1 tag -1\nl2 irequires l3\n}\n"
              "\nrank 2 {\n}\n");
}

TEST(WrittenGoal, IsReadAsTheSameSchedule) {
    const std::string text = written(
        parse("num_ranks 2\nrank 0 {\na: calc 5\nb: send 9b to 1 tag 4294967294\nc: recv 3b from 1\nc requires a\n"
              "b irequires c\na requires b\n}\n",
              "x"));
    EXPECT_EQ(written(parse(text, "y")), text);
}

}  // namespace
