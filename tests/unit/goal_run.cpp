#include "libsim/interop/goal/run.hpp"

#include "libsim/interop/goal/builder.hpp"
#include "libsim/interop/goal/text.hpp"
#include "tests/support/plain_goal.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <map>

namespace {

using namespace sim;
using goal::Charge;
using Times = std::vector<std::int64_t>;

// L, o, g, G, O, S
LogGP costs(std::int64_t latency, std::int64_t overhead, std::int64_t gap, Pace gap_per_byte, Pace overhead_per_byte,
            std::int64_t eager_limit) {
    return {.latency = Duration{latency},
            .overhead = Duration{overhead},
            .gap = Duration{gap},
            .gap_per_byte = gap_per_byte,
            .overhead_per_byte = overhead_per_byte,
            .eager_limit = Bytes{eager_limit}};
}
const LogGP usual = costs(1000, 200, 5, {1, 1}, {0, 1}, 1024);

Times finish(const std::string& text, const LogGP& with = usual, Charge charge = Charge::arrival) {
    const goal::GoalOutcome outcome = goal::run(goal::parse(text, "x"), with, charge);
    EXPECT_TRUE(outcome.finished());
    return outcome.rank_finish;
}

std::string two(const std::string& first, const std::string& second) {
    return "num_ranks 2\nrank 0 {\n" + first + "\n}\nrank 1 {\n" + second + "\n}\n";
}

TEST(GoalRun, OfAnEmptyMessageCostsTwoOverheadsAndALatency) {
    EXPECT_EQ(finish(two("send 0b to 1", "recv 0b from 0")), (Times{200, 1400}));
    EXPECT_EQ(finish(two("send 1b to 1", "recv 1b from 0")), (Times{200, 1400}));
}

TEST(GoalRun, RoundsAFractionOfABytesTimeUpOncePerMessage) {
    // 999 bytes after the first, at 0.3: 299.7
    EXPECT_EQ(finish(two("send 1000b to 1", "recv 1000b from 0"), costs(1000, 200, 5, {3, 10}, {0, 1}, 1024)),
              (Times{200, 1700}));
    // the same at 0.7 for the CPUs: 699.3
    EXPECT_EQ(finish(two("send 1000b to 1", "recv 1000b from 0"), costs(1000, 200, 5, {3, 10}, {7, 10}, 1024)),
              (Times{900, 2100}));
}

TEST(GoalRun, OnArrivalAMessageTakesTheReceiversCpuBeforeItsCalc) {
    // The message arrives at 1200 and takes 200 + 100. The calcs alone would end at 1100 and 2100; the receive is free.
    const std::string text =
        two("send 101b to 1",
            "a: calc 1100\nb: calc 100\nc: calc 900\nr: recv 101b from 0\nb requires a\nc requires b\nr requires c");
    EXPECT_EQ(finish(text), (Times{200, 2400}));
    // On match the message waits for the receive at 2100, and costs it 300.
    EXPECT_EQ(finish(text, usual, Charge::match), (Times{200, 2400}));
}

TEST(GoalRun, OnMatchNobodyPaysForAMessageThatNobodyReceives) {
    const std::string text = two("send 101b to 1", "calc 10");
    const goal::GoalSchedule schedule = goal::parse(text, "x");
    EXPECT_EQ(goal::run(schedule, usual).rank_finish, (Times{200, 1500}));
    EXPECT_EQ(goal::run(schedule, usual, Charge::match).rank_finish, (Times{200, 10}));
    EXPECT_EQ(goal::run(schedule, usual).unreceived, (std::vector<goal::OpIndex>{0}));
}

TEST(GoalRun, OnMatchTheReceivesCpuPaysAndOnArrivalTheOneOfTheSendsNumber) {
    const std::string text = two("send 101b to 1 cpu 1", "calc 2000 cpu 1\nrecv 101b from 0 cpu 0");
    EXPECT_EQ(finish(text), (Times{200, 2300}));
    EXPECT_EQ(finish(text, usual, Charge::match), (Times{200, 2000}));
}

TEST(GoalRun, ALongSendEndsWhenItsReceiveTakesIt) {
    // The message arrives at 1200, the receive is posted at 5000: the sender's calc begins then.
    const std::string text =
        two("s: send 2001b to 1\nc: calc 10\nc requires s", "a: calc 5000\nr: recv 2001b from 0\nr requires a");
    EXPECT_EQ(finish(text, usual, Charge::match), (Times{5010, 7200}));
    // On arrival the message waits for the CPU until 5000, takes it for 2200, and matches a posted receive.
    EXPECT_EQ(finish(text), (Times{5010, 7200}));
}

TEST(GoalRun, AReceiveOfAnythingTakesWhatCameFirst) {
    const std::string text =
        "num_ranks 3\n"
        "rank 0 {\na: recv 1b from -1 tag -1\nb: recv 1b from 2 tag 7\nc: calc 1000\nc requires b\n}\n"
        "rank 1 {\nw: calc 300\ns: send 1b to 0 tag 5\ns requires w\n}\n"
        "rank 2 {\ns: send 1b to 0 tag 7\nt: send 1b to 0 tag 7\nt requires s\n}\n";
    // Messages arrive from rank 2 at 1200 and 1400, from rank 1 at 1500 (taken at 1600): they match a, b, and none.
    const goal::GoalOutcome outcome = goal::run(goal::parse(text, "x"), usual);
    EXPECT_EQ(outcome.rank_finish, (Times{2800, 500, 400}));
    EXPECT_EQ(outcome.unreceived, (std::vector<goal::OpIndex>{3 + 1}));
}

TEST(GoalRun, AnOperationMayWaitForMoreThanTwoHundredAndFiftyFive) {
    goal::ScheduleBuilder builder(1);
    builder.begin(0);
    std::vector<goal::OpIndex> first;
    for (int i = 0; i < 600; ++i) {
        first.push_back(builder.add({.size = 10}));
    }
    const goal::OpIndex last = builder.add({.size = 1, .cpu = 1});
    const goal::OpIndex behind = builder.add({.size = 1});
    for (const goal::OpIndex op : first) {
        builder.require(last, op);
    }
    builder.require(behind, last);
    const goal::GoalSchedule schedule = std::move(builder).build();
    EXPECT_EQ(goal::run(schedule, usual).rank_finish, (Times{6001}));
}

TEST(GoalRun, TellsWhatNeverBeganAndWhatNeverEnded) {
    const goal::GoalSchedule schedule = goal::parse(
        two("r: recv 1b from 1\ns: send 1b to 1\ns requires r", "s: send 2000b to 0 tag 9\nc: calc 1\nc requires s"),
        "x");
    const goal::GoalOutcome outcome = goal::run(schedule, usual);
    EXPECT_FALSE(outcome.finished());
    EXPECT_EQ(outcome.waiting, (std::vector<goal::OpIndex>{0, 2}));
    EXPECT_EQ(outcome.blocked, (std::vector<goal::OpIndex>{1, 3}));
    EXPECT_EQ(outcome.unreceived, (std::vector<goal::OpIndex>{2}));
}

TEST(GoalRun, ThrowsWhereTimeLeavesItsRange) {
    EXPECT_THROW(finish(two("calc 9223372036854775807\ncalc 1", "")), std::overflow_error);
    EXPECT_THROW(finish(two("send 9223372036854775807b to 1", "recv 1b from 0"), costs(0, 0, 0, {2, 1}, {0, 1}, 0)),
                 std::overflow_error);
}

// Few ranks, tags and times, so that many events coincide, and many ops never end.
goal::GoalSchedule random_schedule(test::Random& random) {
    const int ranks = 1 + random.below(4);
    const bool wild = random.below(3) == 0;
    const auto tag = [&] {
        return wild && random.below(4) == 0 ? goal::any : static_cast<std::uint32_t>(random.below(2));
    };
    goal::ScheduleBuilder builder(static_cast<std::uint32_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        builder.begin(static_cast<std::uint32_t>(rank));
        const int ops = random.below(random.below(20) == 0 ? 150 : 25);
        std::vector<goal::OpIndex> earlier;
        for (int i = 0; i < ops; ++i) {
            goal::GoalOp op{.size = random.below(4) * 50,
                            .peer = static_cast<std::uint32_t>(random.below(ranks)),
                            .tag = tag(),
                            .kind = static_cast<goal::GoalOpKind>(random.below(3)),
                            .cpu = static_cast<std::uint8_t>(random.below(6) == 0 ? 1 : 0),
                            .nic = static_cast<std::uint8_t>(random.below(6) == 0 ? 1 : 0)};
            if (wild && op.kind == goal::GoalOpKind::receive && random.below(4) == 0) {
                op.peer = goal::any;
            }
            const goal::OpIndex index = builder.add(op);
            for (int edges = earlier.empty() ? 0 : random.below(3); edges > 0; --edges) {
                const goal::OpIndex first =
                    earlier[static_cast<std::size_t>(random.below(static_cast<int>(earlier.size())))];
                if (random.below(3) == 0) {
                    builder.require_start(index, first);
                } else {
                    builder.require(index, first);
                }
            }
            earlier.push_back(index);
        }
    }
    return std::move(builder).build();
}

TEST(GoalRun, IsThatOfThePlainestProgramForThousandsOfRandomSchedules) {
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        test::Random random(seed);
        const goal::GoalSchedule schedule = random_schedule(random);
        const LogGP with = costs(random.below(3) * 100, random.below(3) * 50, random.below(3) * 40,
                                 {random.below(3), 1 + random.below(2)}, {random.below(3), 1 + random.below(2)},
                                 random.below(2) * 100);
        for (const Charge charge : {Charge::arrival, Charge::match}) {
            const goal::GoalOutcome fast = goal::run(schedule, with, charge);
            const goal::GoalOutcome plain = test::PlainGoal(schedule, with, charge).outcome();
            ASSERT_EQ(fast.rank_finish, plain.rank_finish) << "seed " << seed;
            ASSERT_EQ(fast.unreceived, plain.unreceived) << "seed " << seed;
            ASSERT_EQ(fast.waiting, plain.waiting) << "seed " << seed;
            ASSERT_EQ(fast.blocked, plain.blocked) << "seed " << seed;
        }
    }
}

// Violations in the spans: of the order on a CPU, or of the message numbers; one per line.
std::vector<std::string> wrong_with(const std::vector<trace::Span>& spans, const Times& finish) {
    std::vector<std::string> wrong;
    std::map<std::pair<int, Stream>, Time> free_at;
    std::map<std::pair<OpKind, std::uint64_t>, int> ends;
    for (const trace::Span& span : spans) {
        Time& free = free_at[{span.rank, span.stream}];
        if (span.begin < free || span.end < span.begin || span.idle > span.end - span.begin) {
            wrong.push_back("a span of a CPU begins before the last one ends");
        }
        free = span.end;
        if (free.time_since_epoch().count() > finish[static_cast<std::size_t>(span.rank)]) {
            wrong.push_back("a span ends after its rank");
        }
        if ((span.kind == OpKind::compute) != (span.message == 0) ||
            (span.message != 0 && ++ends[{span.kind, span.message}] > 1)) {
            wrong.push_back("a message has two sends or two receives");
        }
    }
    for (const auto& [end, count] : ends) {
        if (end.first == OpKind::receive && !ends.contains({OpKind::send, end.second})) {
            wrong.push_back("a message is received and was not sent");
        }
    }
    return wrong;
}

TEST(GoalRun, IsTheSameWithSpansAndTheseFollowOneAnotherForThousandsOfRandomSchedules) {
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        test::Random random(seed);
        const goal::GoalSchedule schedule = random_schedule(random);
        const LogGP with = costs(random.below(3) * 100, random.below(3) * 50, random.below(3) * 40,
                                 {random.below(3), 1 + random.below(2)}, {random.below(3), 1 + random.below(2)},
                                 random.below(2) * 100);
        for (const Charge charge : {Charge::arrival, Charge::match}) {
            std::vector<trace::Span> spans;
            const goal::GoalOutcome drawn =
                goal::run(schedule, with, charge, [&](const trace::Span& span) { spans.push_back(span); });
            const goal::GoalOutcome plain = goal::run(schedule, with, charge);
            ASSERT_EQ(drawn.rank_finish, plain.rank_finish) << "seed " << seed;
            ASSERT_EQ(drawn.blocked, plain.blocked) << "seed " << seed;
            ASSERT_EQ(wrong_with(spans, drawn.rank_finish), std::vector<std::string>{}) << "seed " << seed;
        }
    }
}

TEST(GoalRun, ChargesTheSameOnMatchAsOnArrivalWhereEveryReceiveIsThereInTime) {
    // A ring of four, two steps; the receives are posted from the beginning.
    std::string text = "num_ranks 4\n";
    for (int rank = 0; rank < 4; ++rank) {
        const std::string right = std::to_string((rank + 1) % 4);
        const std::string left = std::to_string((rank + 3) % 4);
        text += "rank " + std::to_string(rank) + " {\nr: recv 100b from " + left + " tag 1\nq: recv 100b from " + left +
                " tag 2\ns: send 100b to " + right + " tag 1\nt: send 100b to " + right + " tag 2\nt requires r\n}\n";
    }
    // s ends at 200, its message is taken from 1200 to 1499; t ends at 1699, and its message at 2998.
    EXPECT_EQ(finish(text), (Times{2998, 2998, 2998, 2998}));
    EXPECT_EQ(finish(text, usual, Charge::match), finish(text));
}

}  // namespace
