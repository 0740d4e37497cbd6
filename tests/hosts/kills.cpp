// A rank to be killed at a simulated time dies at that time, in every run and on every host, and the ranks that wait
// for it are named.
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/replay/recording.hpp"
#include "tests/support/simulate.hpp"

#include <csignal>
#include <stdexcept>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

using Kills = OnBothHosts;
INSTANTIATE_TEST_SUITE_P(Hosts, Kills, both_hosts(), host_name);

ranks::LaunchOptions killing(ranks::LaunchOptions options, int rank, Duration at) {
    options.faults = {faults::KillRank{.rank = rank, .at = Time{at}}};
    return options;
}

// Each rank computes 1 s three times, and then sends to its right neighbour.
void three_seconds_and_a_message(GPU& gpu) {
    for (int part = 0; part < 3; ++part) {
        gpu.compute(Units(10));
    }
    gpu.send((gpu.rank() + 1) % gpu.world_size(), Units(0));
    gpu.receive((gpu.rank() + gpu.world_size() - 1) % gpu.world_size(), Units(0));
}

TEST_P(Kills, ARankBeginsNoOpAtThatTimeOrLater) {
    const auto run = simulate(killing(ranks(2), 1, 2s), three_seconds_and_a_message);
    ASSERT_EQ(run.spans[1].size(), 2U);
    EXPECT_EQ(run.span(1, 1).end, Duration(2s));
    EXPECT_EQ(run.result.ranks[1].end, Time{2s});
}

TEST_P(Kills, AnOpThatIsUnderWayThenEndsFirst) {
    const auto run = simulate(killing(ranks(2), 1, 1500ms), three_seconds_and_a_message);
    EXPECT_EQ(run.result.ranks[1].end, Time{2s});
}

TEST_P(Kills, TheOthersGoOnUntilTheyMissIt) {
    const auto run = simulate(killing(ranks(3), 1, 2s), three_seconds_and_a_message);
    // Rank 2 waits for rank 1; rank 0 has the message that rank 2 sent at 3.05 s, and finishes 0.05 s later.
    ASSERT_TRUE(run.result.fault);
    ASSERT_EQ(run.result.fault->ops.size(), 1U);
    const kernel::WrongOp& waiting = run.result.fault->ops.front();
    EXPECT_EQ(waiting.rank, 2);
    EXPECT_EQ(waiting.waits_for, 1);
    EXPECT_EQ(waiting.since, Time{3050ms});
    EXPECT_EQ(run.result.ranks[0].end, Time{3100ms});
}

TEST_P(Kills, AreReportedWithWhoDiedWhereAndWhoCanNeverGoOn) {
    const auto run = simulate(killing(ranks(3), 1, 2s), three_seconds_and_a_message);
    EXPECT_EQ(run.result.exit_code(), 4);
    EXPECT_EQ(run.result.fault->rank, 1);
    EXPECT_EQ(run.result.fault->signal, SIGKILL);
    const std::string who = GetParam() == ranks::Host::process
                                ? fmt::format("rank 1 (pid {}) was killed by signal 9", run.result.pids[1])
                                : "rank 1 was killed";
    EXPECT_EQ(run.result.fault->message, who +
                                             " after op 1, at 2 s, as was asked; 1 of 2 ranks can never go on\n"
                                             "  rank 2, op 4: receive from 1   nothing was sent; rank 1 has died");
}

TEST_P(Kills, OfACollectiveLeaveEveryMemberWaiting) {
    const auto run = simulate(killing(ranks(4), 3, 0s), [](GPU& gpu) {
        gpu.compute(Units(10 * (gpu.rank() + 1)));
        all_reduce(gpu, world(gpu), Units(1));
    });
    ASSERT_TRUE(run.result.fault);
    std::vector<Time> since;
    for (const kernel::WrongOp& one : run.result.fault->ops) {
        since.push_back(one.since);
    }
    EXPECT_THAT(since, ElementsAre(Time{1s}, Time{2s}, Time{3s}));
    EXPECT_THAT(run.result.fault->message, HasSubstr("3 of 4 have come; missing: rank 3; rank 3 has died"));
    EXPECT_THAT(run.result.fault->message, HasSubstr("before its first op, at 0 s"));
}

TEST_P(Kills, ThatNobodyMissesAreReportedAllTheSame) {
    const auto run = simulate(killing(ranks(2), 1, 1s), [](GPU& gpu) {
        gpu.compute(Units(10));
        gpu.compute(Units(10));
    });
    EXPECT_EQ(run.result.exit_code(), 4);
    EXPECT_THAT(run.result.fault->message, HasSubstr("as was asked; nobody waits for it"));
    EXPECT_EQ(run.result.ranks[0].end, Time{2s});
}

TEST_P(Kills, OfARankThatHasFinishedChangeNothing) {
    const auto undisturbed = simulate_well(ranks(3), three_seconds_and_a_message);
    const auto run = simulate_well(killing(ranks(3), 1, 100s), three_seconds_and_a_message);
    EXPECT_EQ(run.result.timeline_sha256, undisturbed.result.timeline_sha256);
}

TEST_P(Kills, LeaveDataThatWasSentBefore) {
    const auto run = simulate(killing(ranks(2), 1, 1s), [](GPU& gpu) {
        if (gpu.rank() == 1) {
            gpu.send(0, std::vector<double>{1, 2, 3}, "", Units(95));  // until 1 s
            gpu.send(0, std::vector<double>{4}, "", Units(0));
            return;
        }
        gpu.report("first", gpu.receive<double>(1, "", Units(95)));
        gpu.report("second", gpu.receive<double>(1, "", Units(0)));
    });
    EXPECT_EQ(run.result.exit_code(), 4);
    EXPECT_THAT(run.result.reports.at("first").at(0), ElementsAre(1, 2, 3));
    EXPECT_FALSE(run.result.reports.contains("second"));
}

TEST(Kills, GiveTheSameTimelineOnBothHostsAndInEveryRun) {
    std::string hash;
    for (int time = 0; time < 5; ++time) {
        for (const ranks::Host host : {ranks::Host::process, ranks::Host::fiber}) {
            const auto options = killing({.ranks = 4, .host = host}, 2, 1500ms);
            const std::string found = ranks::launch(options, three_seconds_and_a_message).timeline_sha256;
            EXPECT_EQ(found, hash.empty() ? found : hash);
            hash = found;
        }
    }
}

TEST(Kills, OfARecordingAreThoseOfTheRun) {
    const replay::Recording program(4, three_seconds_and_a_message);
    const auto options = killing({.ranks = 4, .host = ranks::Host::fiber}, 2, 1500ms);
    const ranks::Result run = ranks::launch(options, three_seconds_and_a_message);
    const replay::Replay again = program.replay({.faults = options.faults});
    EXPECT_EQ(again.timeline_sha256, run.timeline_sha256);
    EXPECT_EQ(again.end, run.end);
    ASSERT_EQ(again.waiting.size(), run.fault->ops.size());
    EXPECT_EQ(kernel::lines_of(again.waiting), kernel::lines_of(run.fault->ops));
}

TEST(Kills, NeedARankThatThereIs) {
    EXPECT_THROW(ranks::launch(killing({.ranks = 2}, 2, 1s), three_seconds_and_a_message), std::invalid_argument);
}

}  // namespace
