#include "libsim/interop/goal/explain.hpp"

#include "libsim/interop/goal/text.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;

std::string two(const std::string& first, const std::string& second) {
    return "num_ranks 2\nrank 0 {\n" + first + "\n}\nrank 1 {\n" + second + "\n}\n";
}

std::string why(const std::string& text) {
    const goal::GoalSchedule schedule = goal::parse(text, "x");
    const goal::GoalOutcome outcome = goal::run(schedule, goal::loggopsim_costs());
    EXPECT_FALSE(outcome.finished());
    return goal::explain(schedule, outcome, text);
}

TEST(GoalExplain, SaysWhichRanksWaitForEachOther) {
    EXPECT_EQ(
        why(two("r: recv 5b from 1 tag 7\ns: send 5b to 1\ns requires r",
                "r: recv 5b from 0\ns: send 5b to 0 tag 7\ns requires r")),
        "deadlock: 4 of 4 operations never end, of 2 of 2 ranks\n"
        "  rank 0, line 3, r: recv 5b from 1 tag 7   rank 1 would send it at line 9, s, which waits for line 8, r\n"
        "  rank 1, line 8, r: recv 5b from 0 tag 0   rank 0 would send it at line 4, s, which waits for line 3, r");
}

TEST(GoalExplain, NamesTheTagOrTheRankThatIsNear) {
    EXPECT_EQ(why(two("recv 5b from 1 tag 7", "s: send 5b to 0 tag 8")),
              "deadlock: 1 of 2 operations never end, of 1 of 2 ranks\n"
              "  rank 0, line 3: recv 5b from 1 tag 7   rank 1 sends tag 8 at line 6, s; did you mean 8?");
    EXPECT_EQ(why("num_ranks 3\nrank 0 {\nrecv 5b from 1\n}\nrank 2 {\nsend 5b to 0\n}\n"),
              "deadlock: 1 of 2 operations never end, of 1 of 3 ranks\n"
              "  rank 0, line 3: recv 5b from 1 tag 0   rank 2 sends it at line 6; did you mean from 2?");
}

TEST(GoalExplain, SaysThatOtherReceivesTookAllThereWas) {
    EXPECT_EQ(why(two("recv 5b from 1\nrecv 5b from 1", "send 5b to 0")),
              "deadlock: 1 of 3 operations never end, of 1 of 2 ranks\n"
              "  rank 0, line 4: recv 5b from 1 tag 0   of 1 such messages, other receives have taken all");
    EXPECT_EQ(why(two("recv 5b from 1", "")),
              "deadlock: 1 of 1 operations never end, of 1 of 2 ranks\n"
              "  rank 0, line 3: recv 5b from 1 tag 0   nothing like it is sent");
}

TEST(GoalExplain, KnowsThatALongSendWaitsForItsReceive) {
    EXPECT_EQ(why(two("s: send 100000b to 1 tag 3", "r: recv 100000b from 0 tag 4")),
              "deadlock: 2 of 2 operations never end, of 2 of 2 ranks\n"
              "  rank 0, line 3, s: send 100000b to 1 tag 3   rank 1 receives tag 4 at line 6, r; did you mean 4?\n"
              "  rank 1, line 6, r: recv 100000b from 0 tag 4   rank 0 sends tag 3 at line 3, s; did you mean 3?");
}

TEST(GoalExplain, ShowsOperationsThatWaitInACircle) {
    EXPECT_EQ(
        why(two("a: calc 1\nb: calc 1\nc: calc 1\nd: calc 1\na requires b\nb irequires c\nc requires a\nd requires a",
                "calc 5")),
        "deadlock: 4 of 5 operations never end, of 1 of 2 ranks\n"
        "  rank 0: line 3, a waits for line 4, b waits for line 5, c waits for line 3, a: a cycle");
}

TEST(GoalExplain, ShowsEightOfVeryMany) {
    std::string receives;
    for (int i = 0; i < 20; ++i) {
        receives += "recv 5b from 1 tag " + std::to_string(i) + "\n";
    }
    const std::string text = why(two(receives, ""));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9);
    EXPECT_NE(text.find("\n  … and 12 more receives and sends"), std::string::npos);
}

TEST(GoalExplain, NamesTheFirstMessageThatNobodyReceives) {
    const std::string text = two("send 5b to 1\nlast: send 6b to 1 tag 2", "recv 5b from 0");
    const goal::GoalSchedule schedule = goal::parse(text, "x");
    const goal::GoalOutcome outcome = goal::run(schedule, goal::loggopsim_costs());
    EXPECT_TRUE(outcome.finished());
    EXPECT_EQ(goal::explain_unreceived(schedule, outcome, text),
              "1 message is never received: rank 0, line 4, last: send 6b to 1 tag 2");
}

}  // namespace
