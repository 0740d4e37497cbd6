#include "libsim/interop/goal/text.hpp"

#include "tests/support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim::goal;
using testing::HasSubstr;

GoalSchedule parsed(const std::string& text) {
    return parse(text, "x");
}

std::string complaint(const std::string& text) {
    try {
        parse(text, "x");
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "none";
}

// The complaint about statements of rank 0 of two; the first statement is in line 2.
std::string complaint_of(const std::string& statements) {
    return complaint("num_ranks 2 rank 0 {\n" + statements + "\n}\n");
}

TEST(GoalText, GivesEachOperationWhatItsLineSays) {
    const GoalSchedule schedule = parsed(
        "num_ranks 3\nrank 0 {\nl1: send 64b to 2 tag 7 cpu 1 nic 3\nrecv 65 b from 1\n}\nrank 2 {\ncalc 100 cpu "
        "2\n}\n");
    ASSERT_EQ(schedule.ops.size(), 3);
    const GoalOp& send = schedule.ops[0];
    EXPECT_EQ(send.kind, GoalOpKind::send);
    EXPECT_EQ(send.size, 64);
    EXPECT_EQ(send.rank, 0);
    EXPECT_EQ(send.peer, 2);
    EXPECT_EQ(send.tag, 7);
    EXPECT_EQ(send.cpu, 1);
    EXPECT_EQ(send.nic, 3);
    const GoalOp& receive = schedule.ops[1];
    EXPECT_EQ(receive.kind, GoalOpKind::receive);
    EXPECT_EQ(receive.size, 65);
    EXPECT_EQ(receive.peer, 1);
    EXPECT_EQ(receive.tag, 0);
    EXPECT_EQ(schedule.ops[2].kind, GoalOpKind::calc);
    EXPECT_EQ(schedule.ops[2].size, 100);
    EXPECT_EQ(schedule.ops[2].rank, 2);
    EXPECT_EQ(schedule.cpus, 3);
    EXPECT_EQ(schedule.nics, 4);
    EXPECT_EQ(schedule.ranks[1].begin, schedule.ranks[1].end);
}

TEST(GoalText, KnowsAnyRankAndAnyTag) {
    const GoalSchedule schedule = parsed("num_ranks 1\nrank 0 {\nrecv 1b from -1 tag -1\nsend 1b to 0 tag -1\n}\n");
    EXPECT_EQ(schedule.ops[0].peer, any);
    EXPECT_EQ(schedule.ops[0].tag, any);
    EXPECT_EQ(schedule.ops[1].tag, any);
}

TEST(GoalText, ListsDependentsOfAStartBeforeThoseOfAnEnd) {
    const GoalSchedule schedule = parsed(
        "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\nc: calc 1\nd: calc 1\n"
        "b requires a\nc irequires a\nd requires a\nd requires c\n}\n");
    const auto of_a = schedule.dependents_of(OpIndex{0});
    ASSERT_EQ(of_a.size(), 3);
    EXPECT_TRUE(of_a[0].on_start());
    EXPECT_EQ(of_a[0].op(), 2);
    EXPECT_FALSE(of_a[1].on_start());
    EXPECT_EQ(of_a[1].op(), 1);
    EXPECT_EQ(of_a[2].op(), 3);
    EXPECT_EQ(schedule.dependents_of(OpIndex{1}).size(), 0);
    EXPECT_EQ(schedule.dependents_of(OpIndex{2}).size(), 1);
}

TEST(GoalText, TakesRanksDependenciesAndAttributesInAnyOrder) {
    const GoalSchedule schedule = parsed(
        "num_ranks 2\nrank 1 {\nb requires a\nb: calc 2\na: send 1b to 0 nic 1 tag 4}\nrank 0 {recv 1b from 1 tag 4 }");
    EXPECT_EQ(schedule.ops[0].rank, 1);
    EXPECT_EQ(schedule.ops[1].tag, 4);
    EXPECT_EQ(schedule.ops[1].nic, 1);
    EXPECT_EQ(schedule.dependents_of(OpIndex{1})[0].op(), 0);
    EXPECT_EQ(schedule.ranks[0].begin, 2);
    EXPECT_EQ(schedule.ranks[1].begin, 0);
}

TEST(GoalText, SkipsCommentsAndTheLineEndsOfOtherSystems) {
    const GoalSchedule schedule = parsed(
        "// one\r\nnum_ranks 1 /* two\r\n lines */\r\nrank 0 { // begin\r\n\r\n\tcalc 1 // a\r\n\tcalc /* how long */ "
        "2\r\n}"
        "\r\n// end");
    ASSERT_EQ(schedule.ops.size(), 2);
    EXPECT_EQ(schedule.ops[1].size, 2);
}

TEST(GoalText, SaysWhichWordIsWrong) {
    EXPECT_EQ(complaint_of("sned 5b to 1"), "x:2:1: \"sned\" is not an operation; did you mean send?");
    EXPECT_EQ(complaint_of("a: sned 5b to 1"),
              "x:2:4: expected send or recv or calc, not \"sned\"; did you mean send?");
    EXPECT_EQ(complaint_of("send 5 to 1"), "x:2:8: expected \"b\" after the size, not \"to\"");
    EXPECT_EQ(complaint_of("send 5bytes to 1"), "x:2:7: expected \"b\" after the size, not \"bytes\"");
    EXPECT_EQ(complaint_of("send 5b from 1"), "x:2:9: expected \"to\" before the receiving rank, not \"from\"");
    EXPECT_EQ(complaint_of("recv 5b to 1"), "x:2:9: expected \"from\" before the sending rank, not \"to\"");
    EXPECT_EQ(complaint_of("send 5b to 1 tga 3"),
              "x:2:14: expected tag or cpu or nic or the end of the line, not \"tga\"; did you mean tag?");
    EXPECT_EQ(complaint_of("calc 5 tag 3"), "x:2:8: expected cpu or the end of the line, not \"tag\"");
    EXPECT_EQ(complaint_of("a: calc 5\nb: calc 5\na require b"),
              "x:4:3: expected : or requires or irequires, not \"require\"; did you mean requires?");
    EXPECT_EQ(complaint_of("a: calc 5\nb: calc 5\na requires b c"), "x:4:14: expected the end of the line, not \"c\"");
    EXPECT_EQ(complaint_of("send: calc 5"), "x:2:1: send cannot be a label");
    EXPECT_EQ(complaint_of("5: calc 5"), "x:2:1: expected a label, send, recv, calc or }, not \"5\"");
    EXPECT_EQ(complaint("num_rank 2"), "x:1:1: expected rank or num_ranks, not \"num_rank\"; did you mean num_ranks?");
    EXPECT_EQ(complaint("num_ranks 2\nrank 0\ncalc 5\n"), "x:3:1: expected \"{\" after rank 0, not \"calc\"");
}

TEST(GoalText, SaysWhichNumberIsWrong) {
    EXPECT_EQ(complaint_of("calc -5"), "x:2:6: expected a time, a whole number, not \"-5\"");
    EXPECT_EQ(complaint_of("calc"), "x:2:5: expected a time, a whole number, not the end of the line");
    EXPECT_EQ(complaint_of("calc 9223372036854775808"),
              "x:2:6: a time must be at most 9223372036854775807, not 9223372036854775808");
    EXPECT_EQ(complaint_of("calc 5 cpu 256"), "x:2:12: a CPU must be at most 255, not 256");
    EXPECT_EQ(complaint_of("send 5b to 1 nic 256"), "x:2:18: a NIC must be at most 255, not 256");
    EXPECT_EQ(complaint_of("send 5b to 1 tag 4294967295"), "x:2:18: a tag must be at most 4294967294, not 4294967295");
    EXPECT_EQ(complaint_of("send 5b to 1 tag -2"), "x:2:18: expected a tag, or -1 for any tag");
    EXPECT_EQ(complaint_of("send 5b to 2"), "x:2:12: rank 2 is not one of the 2 ranks, 0 to 1");
    EXPECT_EQ(complaint_of("send 5b to -1"), "x:2:12: expected a rank, a whole number, not \"-1\"");
    EXPECT_EQ(complaint_of("recv 5b from -2"), "x:2:14: expected a rank, or -1 for any rank");
    EXPECT_EQ(complaint("num_ranks 0"), "x:1:11: there must be at least one rank");
    EXPECT_EQ(complaint("num_ranks 99999999"), "x:1:11: the number of ranks must be at most 16777216, not 99999999");
}

TEST(GoalText, SaysWhatIsMissingOrThereTwice) {
    EXPECT_EQ(complaint(""), "x:1:1: num_ranks, the number of ranks, is missing");
    EXPECT_EQ(complaint("rank 0 {\n}\n"), "x:1:1: num_ranks must come before the first rank");
    EXPECT_EQ(complaint("num_ranks 1\nnum_ranks 1\n"), "x:2:1: num_ranks is given twice");
    EXPECT_EQ(complaint("num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n"), "x:4:1: rank 0 is already at line 2");
    EXPECT_EQ(complaint("num_ranks 1\n\nrank 0 {\ncalc 5\n"),
              "x:5:1: the text ends inside rank 0, which begins at line 3: } is missing");
    EXPECT_EQ(complaint("num_ranks 1\nrank 0 { /* }\n"), "x:2:10: this comment has no end: */ is missing");
    EXPECT_EQ(complaint_of("l1: calc 5\nl1: calc 6"), "x:3:1: label l1 is already at line 2");
    EXPECT_EQ(complaint_of("first: calc 5\nother: calc 6\nother requires frist"),
              "x:4:16: there is no label frist in rank 0; did you mean first?");
    EXPECT_EQ(complaint_of("l1: calc 5\nl1 requires l1"), "x:3:4: l1 cannot wait for itself");
}

TEST(GoalText, LabelsAreOfOneRankOnly) {
    EXPECT_EQ(complaint("num_ranks 2\nrank 0 {\na: calc 1\n}\nrank 1 {\nb: calc 1\nb requires a\n}\n"),
              "x:7:12: there is no label a in rank 1");
}

TEST(GoalText, FindsThousandsOfLabelsAgain) {
    std::string text = "num_ranks 1\nrank 0 {\n";
    for (int i = 0; i < 5000; ++i) {
        text += "l" + std::to_string(i) + ": calc 1\n";
        if (i > 0) {
            text += "l" + std::to_string(i) + " requires l" + std::to_string(i - 1) + "\n";
        }
    }
    const GoalSchedule schedule = parsed(text + "}\n");
    ASSERT_EQ(schedule.dependents.size(), 4999);
    for (OpIndex op = 0; op < 4999; ++op) {
        ASSERT_EQ(schedule.dependents_of(op)[0].op(), op + 1);
    }
}

TEST(GoalText, ThatIsDamagedIsRefusedOrReadButNeverMore) {
    const std::string text =
        "num_ranks 3 // three\nrank 0 {\na: send 64b to 1 tag 7 cpu 1 nic 3\nb: recv 6b from -1 tag -1\nb requires a\n"
        "/* x */ c: calc 5 cpu 2\nc irequires b\n}\nrank 2 { d: calc 9 }\n";
    const std::string pieces = " \n{}:/*-b19arsendiqu_\xff";
    sim::test::Random random(7);
    int read = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string damaged = text;
        for (int edits = 1 + random.below(3); edits > 0 && !damaged.empty(); --edits) {
            const auto at = static_cast<std::size_t>(random.below(static_cast<int>(damaged.size())));
            const char piece = pieces[static_cast<std::size_t>(random.below(static_cast<int>(pieces.size())))];
            switch (random.below(4)) {
                case 0: damaged.erase(at, 1); break;
                case 1: damaged.insert(at, 1, piece); break;
                case 2: damaged[at] = piece; break;
                default: damaged.resize(at + 1); break;
            }
        }
        // In a buffer of exact size, so that a sanitizer detects reads beyond its end.
        const std::vector<char> exact(damaged.begin(), damaged.end());
        try {
            parse({exact.data(), exact.size()}, "x");
            ++read;
        } catch (const std::invalid_argument&) {
        }
    }
    EXPECT_GT(read, 0);
    EXPECT_LT(read, 20'000);
}

TEST(GoalText, TellsWhereOperationsStand) {
    const std::string text = "num_ranks 2\nrank 0 {\na: calc 1\ncalc 2\n}\nrank 1 {\n\nb : calc 3\n}\n";
    const std::vector<Place> places = places_of(text, {0, 1, 2});
    EXPECT_EQ(places[0].line, 3);
    EXPECT_EQ(places[0].label, "a");
    EXPECT_EQ(places[1].line, 4);
    EXPECT_EQ(places[1].label, "");
    EXPECT_EQ(places[2].line, 8);
    EXPECT_EQ(places[2].label, "b");
}

}  // namespace
