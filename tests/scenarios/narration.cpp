#include "scenarios/report/narration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::scenarios;
using testing::ElementsAre;

Time at(double s) {
    return Time{duration_of_seconds(s)};
}

struct Story {
    std::vector<std::string> lines;
    Narration narration;

    explicit Story(bool everything = false, bool live = false)
        : narration({.acknowledgement = [](const Span&) { return duration_of_seconds(0.05); },
                     .everything = everything,
                     .live = live,
                     .pid = [](int rank) { return 4711 + rank; },
                     .tell = [this](const std::string& line) { lines.push_back(line); }}) {}
};

const std::string item = "Process item 1";
const std::string ring = "all-reduce";
const std::string said = "first value 10";

Span compute(int rank, std::uint32_t op, double begin, double end) {
    return {.rank = rank,
            .kind = OpKind::compute,
            .op_number = op,
            .label = &item,
            .measure = Measure::units,
            .amount = Units{20}.billionths(),
            .begin = at(begin),
            .end = at(end)};
}
Span message(OpKind kind, int rank, int peer, double begin, double end) {
    const std::uint32_t op = kind == OpKind::send ? 7 : 8;
    return {.rank = rank,
            .kind = kind,
            .op_number = op,
            .label = &ring,
            .peer = peer,
            .measure = Measure::units,
            .amount = Units{62.5}.billionths(),
            .begin = at(begin),
            .end = at(end),
            .message = 3};
}

TEST(Narration, SaysWhatThePythonOriginalSaid) {
    Story story;
    story.narration.add(compute(0, 0, 0, 2));
    story.narration.add(message(OpKind::send, 0, 1, 2, 3.3));
    story.narration.add(message(OpKind::receive, 0, 3, 3.3, 3.35));
    story.narration.add({.rank = 0, .kind = OpKind::log, .op_number = 9, .label = &said, .begin = at(4), .end = at(4)});
    story.narration.tell_all();
    EXPECT_THAT(story.lines,
                ElementsAre("    0.000s [PID 4711] Rank 0: Starting compute: Process item 1 (20 units)",
                            "    2.000s [PID 4711] Rank 0: Finished compute: Process item 1 (took 2.000s)",
                            "    2.000s [PID 4711] Rank 0: Initiating send: all-reduce (62.5 units) to Rank 1",
                            "    3.300s [PID 4711] Rank 0: Finished send: all-reduce to Rank 1 (took 1.300s)",
                            "    3.300s [PID 4711] Rank 0: Expecting receive: all-reduce (62.5 units) from Rank 3",
                            "    3.350s [PID 4711] Rank 0: Finished receive: all-reduce from Rank 3 (ack delay 0.050s)",
                            "    4.000s [PID 4711] Rank 0: first value 10"));
}

TEST(Narration, SaysHowLongAReceiveWaited) {
    Story story;
    story.narration.add(message(OpKind::receive, 1, 0, 1, 1.75));
    story.narration.tell_all();
    EXPECT_EQ(
        story.lines.back(),
        "    1.750s [PID 4712] Rank 1: Finished receive: all-reduce from Rank 0 (waited 0.700s, ack delay 0.050s)");
}

TEST(Narration, SaysWhichStreamSomethingIsOn) {
    Story story;
    Span on_stream = message(OpKind::send, 0, 1, 2, 3.3);
    on_stream.stream = Stream{3};
    Span asynchronous = message(OpKind::send, 1, 0, 4, 5);
    asynchronous.stream = Stream::own;
    story.narration.add(on_stream);
    story.narration.add(asynchronous);
    story.narration.tell_all();
    EXPECT_THAT(
        story.lines,
        ElementsAre("    2.000s [PID 4711] Rank 0: Initiating send: all-reduce (62.5 units) to Rank 1, stream 3",
                    "    3.300s [PID 4711] Rank 0: Finished send: all-reduce to Rank 1 (took 1.300s), stream 3",
                    "    4.000s [PID 4712] Rank 1: Initiating send: all-reduce (62.5 units) to Rank 0",
                    "    5.000s [PID 4712] Rank 1: Finished send: all-reduce to Rank 0 (took 1.000s)"));
}

TEST(Narration, LeavesMemoryToTheTrace) {
    Story story;
    Span allocation = compute(0, 0, 1, 1);
    allocation.kind = OpKind::allocate;
    story.narration.add(allocation);
    story.narration.tell_all();
    EXPECT_TRUE(story.lines.empty());
}

TEST(Narration, OfOneInstantKeepsTheOrderOfTheProgram) {
    Story story;
    std::vector<std::string> texts;
    for (int i = 0; i < 100; ++i) {
        texts.push_back(std::to_string(i));
    }
    for (const std::string& text : texts) {
        story.narration.add({.rank = 0, .kind = OpKind::log, .label = &text, .begin = at(1), .end = at(1)});
    }
    story.narration.tell_all();
    ASSERT_EQ(story.lines.size(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        EXPECT_EQ(story.lines[i], "    1.000s [PID 4711] Rank 0: " + texts[i]);
    }
}

TEST(Narration, IsInOrderOfTimeThenRankThenProgram) {
    Story story;
    story.narration.add(compute(1, 0, 0, 1));
    story.narration.add(compute(1, 1, 1, 2));
    story.narration.add(compute(0, 0, 0, 1));
    story.narration.tell_all();
    const std::vector<std::string> order{"0.000s [PID 4711] Rank 0: Starting", "0.000s [PID 4712] Rank 1: Starting",
                                         "1.000s [PID 4711] Rank 0: Finished", "1.000s [PID 4712] Rank 1: Finished",
                                         "1.000s [PID 4712] Rank 1: Starting", "2.000s [PID 4712] Rank 1: Finished"};
    ASSERT_EQ(story.lines.size(), order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        EXPECT_NE(story.lines[i].find(order[i]), std::string::npos) << story.lines[i];
    }
}

TEST(Narration, OfMoreThan400LinesShowsTheFirst200AndTheLast100) {
    // 40,000 lines; each rank's last lines are written long before the other's first
    Story story;
    for (int rank = 0; rank < 2; ++rank) {
        for (std::uint32_t op = 0; op < 10'000; ++op) {
            story.narration.add(compute(rank, op, op, op + 1));
        }
    }
    story.narration.tell_all();
    ASSERT_EQ(story.lines.size(), 301U);
    EXPECT_EQ(story.lines[200], "  … 39700 more lines: --verbose shows them all …");
    // There are 2 lines at time 0 and 4 at each later time: line 200 is in the middle of those of 50 s.
    EXPECT_NE(story.lines[199].find("   50.000s [PID 4711] Rank 0: Starting"), std::string::npos) << story.lines[199];
    EXPECT_NE(story.lines[300].find("10000.000s [PID 4712] Rank 1: Finished"), std::string::npos);
}

TEST(Narration, Of400LinesShowsAll) {
    Story story;
    for (std::uint32_t op = 0; op < 200; ++op) {
        story.narration.add(compute(0, op, op, op + 1));
    }
    story.narration.tell_all();
    EXPECT_EQ(story.lines.size(), 400U);
}

TEST(Narration, OfEverythingLeavesNothingOut) {
    Story story(true);
    for (std::uint32_t op = 0; op < 10'000; ++op) {
        story.narration.add(compute(0, op, op, op + 1));
    }
    story.narration.tell_all();
    EXPECT_EQ(story.lines.size(), 20'000U);
}

TEST(Narration, ThatIsLiveTellsALineOnceAndInTime) {
    Story story(false, true);
    story.narration.add(compute(0, 0, 0, 2));
    EXPECT_EQ(story.lines.size(), 1U);
    story.narration.tell_until(at(1.5));
    EXPECT_EQ(story.lines.size(), 1U);
    story.narration.tell_until(at(2));
    EXPECT_EQ(story.lines.size(), 2U);
    story.narration.add(compute(0, 1, 2, 3));
    EXPECT_EQ(story.lines.size(), 3U);
    story.narration.tell_all();
    EXPECT_EQ(story.lines.size(), 4U);
}

TEST(Narration, ThatIsLiveTellsWhatEndedBeforeWhatBegins) {
    Story story(false, true);
    story.narration.add(compute(0, 0, 0, 2));
    story.narration.add(compute(0, 1, 2, 3));
    ASSERT_EQ(story.lines.size(), 3U);
    EXPECT_THAT(story.lines[1], testing::HasSubstr("2.000s [PID 4711] Rank 0: Finished"));
    EXPECT_THAT(story.lines[2], testing::HasSubstr("2.000s [PID 4711] Rank 0: Starting"));
}

TEST(Narration, KeepsLabelsBeyondTheRun) {
    Story story;
    {
        const std::string passing(40, 'x');
        Span span = compute(0, 0, 0, 1);
        span.label = &passing;
        story.narration.add(span);
    }
    story.narration.tell_all();
    EXPECT_NE(story.lines[0].find(std::string(40, 'x')), std::string::npos);
}

TEST(AmountText, IsExactAndCounts) {
    EXPECT_EQ(amount_text(Measure::units, Units{1}.billionths()), "1 unit");
    EXPECT_EQ(amount_text(Measure::units, Units{166.666666667}.billionths()), "166.666666667 units");
    EXPECT_EQ(amount_text(Measure::bytes, 1'000), "1000 bytes");
    EXPECT_EQ(amount_text(Measure::flops, 5), "5 FLOPs");
    EXPECT_EQ(amount_text(Measure::picoseconds, 1'500'000'000), "1.5 ms");
}

}  // namespace
