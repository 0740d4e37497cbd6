#include "libsim/report/text_timeline.hpp"

#include "libsim/report/terminal_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <sstream>

namespace {

using namespace sim;
using namespace sim::report;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Timelines made by hand. Times are in seconds.
class Drawn {
public:
    Drawn(std::string title, int ranks) {
        timeline.title = std::move(title);
        timeline.ranks = ranks;
    }

    Drawn& with(int rank, OpKind kind, const std::string& label, double begin, double end, double idle = 0,
                Stream stream = Stream::main) {
        labels_.push_back(label);
        timeline.add({.rank = rank,
                      .kind = kind,
                      .stream = stream,
                      .label = &labels_.back(),
                      .begin = at(begin),
                      .end = at(end),
                      .idle = at(idle).time_since_epoch()});
        return *this;
    }
    Drawn& compute(int rank, const std::string& label, double begin, double end) {
        return with(rank, OpKind::compute, label, begin, end);
    }
    std::string text(TextStyle style) const { return text_timeline(timeline, style); }
    std::string text(int width) const { return text({.width = width}); }

    static Time at(double seconds) { return Time{Duration{static_cast<std::int64_t>(seconds * 1e12)}}; }

    Timeline timeline;

private:
    std::deque<std::string> labels_;
};

// Two stages, two micro-batches; a hop takes 1 s, and the receiver waits for its first half second.
Drawn pipeline() {
    Drawn drawn("pipeline", 2);
    drawn.compute(0, "forward of micro-batch 0", 0, 2).compute(0, "forward of micro-batch 1", 2, 4);
    drawn.with(0, OpKind::send, "activation", 4, 5);
    drawn.with(1, OpKind::receive, "activation", 0, 3, 2).compute(1, "forward of micro-batch 0", 3, 5);
    drawn.with(1, OpKind::receive, "activation", 5, 6).compute(1, "forward of micro-batch 1", 6, 8);
    drawn.with(0, OpKind::collective, "all-reduce", 8, 10).with(1, OpKind::collective, "all-reduce", 8, 10);
    return drawn;
}

TEST(TextTimeline, HasARowForEachRankAndATickWhereTimeIsRound) {
    // 20 columns of half a second
    EXPECT_EQ(pipeline().text(28),
              "pipeline: 2 ranks, 10 s; a …\n"
              "        |0 s      |5 s\n"
              "rank 0  F0██F1██→→······▒▒▒▒\n"
              "rank 1  ····←←F0██←←F1██▒▒▒▒\n"
              "█ compute  → send  ← receive\n"
              "▒ collective  · waiting\n"
              "F forward of mi…\n");
}

TEST(TextTimeline, InPlainAsciiHasTheSameLayout) {
    EXPECT_EQ(pipeline().text({.width = 28, .ascii = true}),
              "pipeline: 2 ranks, 10 s; a ~\n"
              "        |0 s      |5 s\n"
              "rank 0  F0CCF1CC>>......====\n"
              "rank 1  ....<<F0CC<<F1CC====\n"
              "C compute  > send  < receive\n"
              "= collective  . waiting\n"
              "F forward of mi~\n");
}

TEST(TextTimeline, TellsACheckpointFromWork) {
    Drawn drawn("", 1);
    drawn.compute(0, "", 0, 4).with(0, OpKind::checkpoint, "checkpoint", 4, 7).compute(0, "", 7, 10);
    EXPECT_THAT(drawn.text(18), HasSubstr("rank 0  ████▓▓▓███\n"));
    EXPECT_THAT(drawn.text({.width = 18, .ascii = true}), HasSubstr("rank 0  CCCC###CCC\n"));
    EXPECT_THAT(drawn.text(40), HasSubstr("▓ checkpoint"));
}

TEST(TextTimeline, InColoursIsTheSameTextBetweenEscapeSequences) {
    const std::string text = pipeline().text({.width = 28, .colour = true});
    EXPECT_THAT(text, HasSubstr("rank 0  \033[48;5;32;38;5;16mF0\033[0m\033[38;5;32m██\033[0m"));
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\033') {
            i = text.find('m', i);
        } else {
            plain += text[i];
        }
    }
    EXPECT_EQ(plain, pipeline().text(28));
}

TEST(TextTimeline, ShowsInEachCellWhatFillsMostOfIt) {
    // 10 columns of 1 s. The first is 0.6 s of compute and 0.4 s of send, the second the opposite, the third a tie of
    // work and waiting.
    Drawn drawn("", 1);
    drawn.compute(0, "0", 0, 0.6).with(0, OpKind::send, "", 0.6, 1.6).compute(0, "1", 1.6, 2).compute(0, "2", 2, 2.5);
    drawn.compute(0, "3", 9.4, 10);
    EXPECT_THAT(drawn.text(18), HasSubstr("rank 0  █→█······█\n"));
}

TEST(TextTimeline, HasARowForEachUsedStream) {
    Drawn drawn("overlap", 1);
    drawn.compute(0, "backward", 0, 8);
    drawn.with(0, OpKind::send, "", 2, 6, 0, static_cast<Stream>(1));
    drawn.with(0, OpKind::collective, "", 5, 10, 0, static_cast<Stream>(3));
    EXPECT_EQ(drawn.text(37),
              "overlap: 1 rank, 10 s; a column is 5…\n"
              "                 |0 s      |5 s\n"
              "rank 0           B███████████████····\n"
              "rank 0 stream 1      →→→→→→→→\n"
              "rank 0 stream 3            ▒▒▒▒▒▒▒▒▒▒\n"
              "█ compute  → send  ▒ collective\n"
              "· waiting  B backward\n");
}

TEST(TextTimeline, ShowsAsynchronousMessagesWhereTheProgramWaits) {
    Drawn drawn("", 1);
    drawn.compute(0, "1", 0, 4).with(0, OpKind::send, "", 2, 6, 0, Stream::own).compute(0, "2", 8, 10);
    drawn.with(0, OpKind::receive, "", 2, 8, 5, Stream::own);
    EXPECT_THAT(drawn.text(18), HasSubstr("rank 0  ████→→·←██\n"));
}

TEST(TextTimeline, NamesWorkByALetterOnlyWhereItIsTheOnlyOne) {
    Drawn drawn("", 1);
    drawn.compute(0, "backward (input) 0", 0, 4).compute(0, "backward (weights) 0", 4, 8).compute(0, "update", 8, 10);
    EXPECT_THAT(drawn.text(28), HasSubstr("rank 0  ████████████████U███\n█ compute  U update\n"));
}

TEST(TextTimeline, LeavesALabelOutThatDoesNotFit) {
    Drawn drawn("", 1);
    drawn.compute(0, "item 7", 0, 1).compute(0, "item 8", 1, 3).compute(0, "item 12345", 3, 8);
    drawn.compute(0, "item 12345678", 8, 10);
    // The last label's number has more than six digits, too many to be shown.
    EXPECT_THAT(drawn.text(18), HasSubstr("rank 0  █I8███████\n"
                                          "█ compute  I item\n"));
}

TEST(TextTimeline, NamesRanksThatHaveNamesAndProcessesOnRequest) {
    Drawn drawn("", 2);
    drawn.timeline.rank_names = {"stage 0, 8 ranks"};
    drawn.timeline.pids = {4711, 4712};
    drawn.compute(0, "", 0, 1).compute(1, "", 1, 2);
    EXPECT_THAT(drawn.text({.width = 40, .pids = true}), HasSubstr("stage 0, 8 ranks pid 4711  ███████······\n"));
    EXPECT_THAT(drawn.text(40), HasSubstr("stage 0, 8 ranks  ███"));
    EXPECT_THAT(drawn.text(40), HasSubstr("rank 1            ···"));
}

TEST(TextTimeline, LeavesRowsOutAndSaysHowMany) {
    Drawn drawn("crowd", 100'000);
    drawn.compute(0, "first", 0, 1).compute(99'999, "last", 1, 2).compute(50'000, "middle", 0, 2);
    const std::string text = drawn.text({.width = 30, .most_rows = 4});
    EXPECT_EQ(text,
              "crowd: 100000 ranks, 2 s; a c…\n"
              "            |0 s     |1 s\n"
              "rank 0      F████████·········\n"
              "rank 1      ··················\n"
              "… 99996 rows left out: rank 2…\n"
              "rank 99998  ··················\n"
              "rank 99999  ·········L████████\n"
              "█ compute  · waiting  F first\n"
              "L last\n");
    const std::string most = drawn.text(100);
    EXPECT_THAT(most, HasSubstr("\n… 99936 rows left out: rank 32 to rank 99967\n"));
    EXPECT_EQ(std::count(most.begin(), most.end(), '\n'), 2 + 64 + 1 + 1);
}

TEST(TextTimeline, ShowsTheRankThatEndedTheRunAmongThoseLeftOut) {
    Drawn drawn("crowd", 1000);
    drawn.compute(0, "1", 0, 2).compute(500, "1", 0, 1);
    drawn.timeline.fault = "rank 500 (pid 9) was killed\n  its last op: compute";
    drawn.timeline.fault_rank = 500;
    drawn.timeline.fault_word = "died";
    EXPECT_EQ(drawn.text({.width = 30, .most_rows = 3}),
              "crowd: 1000 ranks, 2 s; a col…\n"
              "          |0 s      |1 s\n"
              "rank 0    ████████████████████\n"
              "… 499 rows left out: rank 1 t…\n"
              "rank 500  ██████████x died\n"
              "… 498 rows left out: rank 501…\n"
              "rank 999  ····················\n"
              "█ compute  · waiting\n"
              "broke off: rank 500 (pid 9) w…\n");
}

TEST(TextTimeline, IsDrawnFromOneTimeToAnother) {
    // 20 columns of 0.2 s: the forward pass of micro-batch 0 on rank 1 is from 3 s to 5 s, in columns 5 to 14.
    EXPECT_EQ(pipeline().text({.width = 28, .from = Drawn::at(2), .until = Drawn::at(6)}),
              "pipeline: 2 ranks, 2 s to 6…\n"
              "        |2 s      |4 s\n"
              "rank 0  F1████████→→→→→·····\n"
              "rank 1  ←←←←←F0████████←←←←←\n"
              "█ compute  → send  ← receive\n"
              "· waiting  F forward of mi…\n");
}

TEST(TextTimeline, OfARunThatIsUnderWayEndsNow) {
    Drawn drawn = pipeline();
    const TextStyle style{.width = 28, .until = Drawn::at(20), .now = Drawn::at(3)};
    EXPECT_THAT(drawn.text(style), HasSubstr("|0 s      |10 s\n"
                                             "rank 0  F0█\n"
                                             "rank 1  ··←\n"));
}

TEST(TextTimeline, OfARankThatDiedHasItsEndInItsRow) {
    Drawn drawn = pipeline();
    drawn.timeline.fault = "rank 1 was killed";
    drawn.timeline.fault_rank = 1;
    drawn.timeline.fault_word = "died";
    const TextStyle style{.width = 28, .ascii = true, .until = Drawn::at(10), .now = Drawn::at(4)};
    EXPECT_THAT(drawn.text(style), HasSubstr("rank 0  F0CCF1CC\n"
                                             "rank 1  ....<<F0x died\n"));
    // With nothing after it, the word covers the last columns.
    EXPECT_THAT(drawn.text({.width = 28, .ascii = true, .until = Drawn::at(4), .now = Drawn::at(4)}),
                HasSubstr("rank 1  ..........<<<<x died\n"));
}

TEST(TextTimeline, OfARunWithoutTimeSaysSo) {
    EXPECT_EQ(Drawn("empty", 2).text(80), "empty: 2 ranks, nothing took any time\n");
    EXPECT_EQ(Drawn("", 0).text(80), "0 ranks, nothing took any time\n");
    Drawn failed("failed", 1);
    failed.timeline.fault = "deadlock at 0 s: 1 of 1 ranks can never go on";
    EXPECT_EQ(failed.text(80),
              "failed: 1 rank, nothing took any time\nbroke off: deadlock at 0 s: 1 of 1 ranks can never go on\n");
}

TEST(TextTimeline, HasNoLineThatIsWiderThanItMayBe) {
    Drawn drawn = pipeline();
    drawn.timeline.rank_names = {"a stage with a long name", "another stage with a long name"};
    drawn.timeline.pids = {1234567, 1234568};
    for (const int width : {24, 40, 60, 200}) {
        std::istringstream lines(drawn.text({.width = width, .pids = true}));
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(columns_of(line), width) << line;
        }
    }
}

TEST(TextTimeline, OfAFewPicosecondsHasNoMoreColumnsThanThose) {
    Drawn drawn("short", 1);
    drawn.compute(0, "1", 0, 3e-12);
    EXPECT_THAT(drawn.text(80), StartsWith("short: 1 rank, 3 ps; a column is 1 ps\n        |0"));
    EXPECT_THAT(drawn.text(80), HasSubstr("rank 0  ███\n"));
}

TEST(TextTimeline, OfAHundredDaysIsDrawnToo) {
    Drawn drawn("long", 1);
    drawn.compute(0, "1", 0, 4'600'000).with(0, OpKind::send, "", 4'600'000, 9'200'000);
    EXPECT_THAT(drawn.text(28), HasSubstr("rank 0  ██████████→→→→→→→→→→\n"));
}

TEST(TextTimeline, LetsNoLabelOrNameControlTheTerminal) {
    for (const std::string& hostile : {std::string("\033]0;title\007\033[2J"), std::string("a\nb\rc\td\0e", 9),
                                       std::string("\xc2\x9b"
                                                   "31m"),
                                       std::string("\xff\xfe\x80"), std::string("\u202eright to left"),
                                       std::string(10'000, 'x'), std::string(10'000, '\033'), std::string("階段0")}) {
        Drawn drawn(hostile, 2);
        drawn.timeline.rank_names = {hostile, hostile};
        drawn.timeline.fault = hostile;
        drawn.timeline.fault_rank = 1;
        drawn.compute(0, hostile, 0, 1).compute(0, hostile + "0", 1, 2).with(1, OpKind::send, hostile, 0, 1);
        drawn.compute(1, "U" + hostile, 1, 2);
        for (const bool ascii : {false, true}) {
            const std::string text = drawn.text({.width = 80, .ascii = ascii});
            EXPECT_THAT(text, Not(HasSubstr("\033")));
            EXPECT_THAT(text, Not(HasSubstr("\xc2\x9b")));
            EXPECT_THAT(text, Not(HasSubstr("\u202e")));
            EXPECT_EQ(text.find_first_of("\r\t\007"), std::string::npos);
            EXPECT_LT(text.size(), 2'000U);
            if (ascii) {
                EXPECT_TRUE(
                    std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c < 127); }));
            }
        }
    }
}

}  // namespace
