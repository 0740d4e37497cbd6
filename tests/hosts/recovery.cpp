// A program that saves its state continues after a rank has died, as the policy says, and computes the same results as
// without the death.
#include "ranks/recovery.hpp"
#include "libsim/parallel/checkpointing.hpp"
#include "tests/support/simulate.hpp"

#include <csignal>
#include <cstring>
#include <stdexcept>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using ranks::OnFault;
using testing::ElementsAre;
using testing::HasSubstr;

using Recoveries = OnBothHosts;
INSTANTIATE_TEST_SUITE_P(Hosts, Recoveries, both_hosts(), host_name);

constexpr int steps_of_run = 6;

// A unit of compute takes 0.1 s, and messages are free.
Cluster free_messages() {
    Cluster cluster = gpu_py();
    cluster.network = Uniform{.per_byte = Pace{}, .per_billionth_unit = Pace{}};
    return cluster;
}

// Steps of 1 s, each followed by a barrier; every rank has a number that depends on all steps.
ranks::RecoverableProgram counting(const parallel::Checkpointing& how) {
    return [how](GPU& gpu, const ranks::Start& start) {
        double number = start.places[static_cast<std::size_t>(gpu.rank())];
        if (start.from) {
            const std::span<const std::byte> state = start.state_of(gpu.rank());
            ASSERT_EQ(state.size(), sizeof number);
            std::memcpy(&number, state.data(), sizeof number);
        }
        for (std::int64_t step = start.first_step(); step < steps_of_run; ++step) {
            gpu.compute("step", Units(10));
            gpu.barrier();
            number = 3 * number + static_cast<double>(step);
            parallel::end_step(gpu, how, step + 1, steps_of_run, [&] { return std::as_bytes(std::span(&number, 1)); });
        }
        gpu.report("number", number);
    };
}

// After every second step, taking half a second.
constexpr parallel::Checkpointing synchronous{.every = 2, .write = 500ms};

ranks::RecoveryPolicy policy(OnFault on_fault) {
    return {.on_fault = on_fault, .detection = 1s, .repair = 10s, .restart = 3s};
}

struct RecoveredRun {
    ranks::Recovered run;
    std::vector<std::vector<KeptSpan>> spans;  // by place
};

RecoveredRun recover(ranks::LaunchOptions options, const ranks::RecoveryPolicy& policy,
                     const ranks::RecoverableProgram& program) {
    RecoveredRun recovered;
    recovered.spans.resize(static_cast<std::size_t>(options.ranks));
    options.cluster = free_messages();
    options.on_span = [&](const Span& span) {
        recovered.spans[static_cast<std::size_t>(span.rank)].push_back(keep(span));
    };
    recovered.run = ranks::launch_with_recovery(options, policy, program);
    return recovered;
}

ranks::LaunchOptions with_a_death(ranks::LaunchOptions options, int rank, Duration at) {
    options.faults.emplace_back(faults::KillRank{.rank = rank, .at = Time{at}});
    return options;
}

TEST_P(Recoveries, OfARunWithoutFaultsAreOneLifeAndItsCheckpoints) {
    const auto [run, spans] = recover(ranks(4), policy(OnFault::restart), counting(synchronous));
    ASSERT_TRUE(run.result.ok()) << run.result.fault->message;
    EXPECT_EQ(run.result.end, Time{7s});  // 6 steps and 2 checkpoints
    ASSERT_EQ(run.lives.size(), 1U);
    EXPECT_EQ(run.lives[0].steps, 6);
    EXPECT_EQ(lost_time(run.lives).all(), Duration(1s));
    EXPECT_EQ(effective_share(run.lives), 1 - 1.0 / 7);
}

TEST_P(Recoveries, BeginAtTheLastCheckpointAfterDetectionRepairAndRestart) {
    const auto [run, spans] = recover(with_a_death(ranks(4), 2, 4s), policy(OnFault::restart), counting(synchronous));
    ASSERT_TRUE(run.result.ok()) << run.result.fault->message;
    ASSERT_EQ(run.lives.size(), 2U);
    const ranks::Life& first = run.lives[0];
    EXPECT_EQ(first.end, Time{5s});
    ASSERT_TRUE(first.death);
    EXPECT_EQ(first.death->at, Time{4s});
    EXPECT_THAT(first.death->places, ElementsAre(2));
    // Step 4 would have ended at 4.5 s; the checkpoint after step 2 was complete at 2.5 s.
    EXPECT_EQ(first.steps, 3);
    EXPECT_EQ(first.lost_steps, 1);
    EXPECT_EQ(first.lost.lost_work, Duration(1500ms));
    EXPECT_EQ(run.lives[1].begin, Time{18s});
    EXPECT_EQ(run.lives[1].first_step, 2);
    EXPECT_EQ(run.result.end, Time{22500ms});  // 4 steps and a checkpoint
    // 1 s of checkpoints, 1.5 s of work, 1 + 10 + 3 s: all but 6 s.
    EXPECT_EQ(lost_time(run.lives).all(), Duration(16500ms));
    EXPECT_EQ(effective_share(run.lives), 1 - 16.5 / 22.5);
}

TEST_P(Recoveries, GiveTheNumbersOfTheUndisturbedRun) {
    const auto reports = recover(ranks(4), policy(OnFault::restart), counting(synchronous)).run.result.reports;
    for (const Duration at : {0ms, 500ms, 2000ms, 2200ms, 2500ms, 4700ms, 6999ms}) {
        for (const OnFault on_fault : {OnFault::restart, OnFault::spare}) {
            const auto run = recover(with_a_death(ranks(4), 1, at), policy(on_fault), counting(synchronous)).run;
            EXPECT_EQ(run.lives.size(), 2U) << at.count();
            EXPECT_EQ(run.result.reports, reports) << at.count();
        }
    }
}

TEST_P(Recoveries, ThatNoCheckpointPrecedesBeginAtTheFirstStep) {
    // The rank dies while a checkpoint is taken, from 2 s to 2.5 s.
    const auto [run, spans] =
        recover(with_a_death(ranks(4), 0, 2200ms), policy(OnFault::restart), counting(synchronous));
    EXPECT_EQ(run.lives[0].steps, 2);
    EXPECT_EQ(run.lives[0].lost_steps, 2);
    EXPECT_EQ(run.lives[1].first_step, 0);
    EXPECT_EQ(run.lives[0].lost.checkpoints, Duration(200ms));
    EXPECT_EQ(run.lives[0].lost.lost_work, Duration(2s));
    EXPECT_EQ(run.result.end, Time{2200ms + 14s + 7s});
}

TEST_P(Recoveries, ThatTakeNoTimeDoNotDieOfTheSameDeathAgain) {
    for (const Duration at : {Duration{0}, Duration(4s), Duration(7s) - Duration{1}}) {
        const auto run =
            recover(with_a_death(ranks(2), 1, at), {.on_fault = OnFault::restart}, counting(synchronous)).run;
        ASSERT_EQ(run.lives.size(), 2U);
        EXPECT_EQ(run.lives[1].begin, Time{at});
    }
}

TEST_P(Recoveries, AreAsManyAsThereAreDeaths) {
    // The second life begins at 18 s, and dies at 20.2 s in a checkpoint; the third begins at 34.2 s. Deaths between
    // lives have no effect.
    auto options = with_a_death(with_a_death(ranks(4), 2, 4s), 1, 20200ms);
    for (const Duration over : {Duration(5s), Duration(17s)}) {
        options = with_a_death(options, 0, over);
    }
    const auto run = recover(options, policy(OnFault::restart), counting(synchronous)).run;
    ASSERT_EQ(run.lives.size(), 3U);
    EXPECT_EQ(run.lives[2].begin, Time{34200ms});
    EXPECT_EQ(run.lives[2].first_step, 2);
    EXPECT_EQ(run.lives[1].lost_steps, 2);
    EXPECT_EQ(run.result.end, Time{34200ms + 4500ms});
    EXPECT_EQ(run.result.reports, recover(ranks(4), {}, counting(synchronous)).run.result.reports);
}

TEST_P(Recoveries, ReplaceAllWhoDiedBeforeItWasKnown) {
    auto with_spares = policy(OnFault::spare);
    with_spares.spares = 2;
    const auto options = with_a_death(with_a_death(ranks(4), 2, 4s), 3, 4200ms);
    const auto run = recover(options, with_spares, counting(synchronous)).run;
    EXPECT_THAT(run.lives[0].death->places, ElementsAre(2, 3));
    EXPECT_EQ(run.lives[1].begin, Time{8s});
    with_spares.spares = 1;
    EXPECT_EQ(recover(options, with_spares, counting(synchronous)).run.lives[1].begin, Time{18s});
}

TEST_P(Recoveries, FromANetworkCardThatDropsOutHaveItRepaired) {
    auto options = ranks(4);
    options.faults.emplace_back(faults::DropNic{.nic = 1, .at = Time{3s}});
    const auto run = recover(options, policy(OnFault::restart), counting(synchronous)).run;
    ASSERT_TRUE(run.result.ok()) << run.result.fault->message;
    EXPECT_THAT(run.lives[0].death->places, ElementsAre(1));
    EXPECT_EQ(run.lives[1].begin, Time{17s});
    EXPECT_EQ(run.lives[1].first_step, 2);
}

TEST_P(Recoveries, WithASpareNeedNoRepair) {
    auto with_spare = policy(OnFault::spare);
    with_spare.spares = 1;
    EXPECT_EQ(recover(with_a_death(ranks(4), 2, 4s), with_spare, counting(synchronous)).run.result.end, Time{12500ms});
    EXPECT_EQ(recover(with_a_death(ranks(4), 2, 4s), policy(OnFault::spare), counting(synchronous)).run.result.end,
              Time{22500ms});
}

TEST_P(Recoveries, OfElasticRunsGoOnWithThoseWhoLive) {
    const auto [run, spans] = recover(with_a_death(ranks(4), 1, 4s), policy(OnFault::elastic), counting(synchronous));
    ASSERT_TRUE(run.result.ok()) << run.result.fault->message;
    EXPECT_THAT(run.lives[1].places, ElementsAre(0, 2, 3));
    EXPECT_EQ(run.result.end, Time{4s + 1s + 3s + 4500ms});
    const auto whole = recover(ranks(4), policy(OnFault::elastic), counting(synchronous)).run.result.reports;
    ASSERT_EQ(run.result.reports.at("number").size(), 3U);
    EXPECT_EQ(run.result.reports.at("number").at(3), whole.at("number").at(3));
    EXPECT_FALSE(run.result.reports.at("number").contains(1));
    EXPECT_EQ(run.result.ranks[1].end, Time{4s});
    EXPECT_EQ(run.result.ranks[1].compute, Duration(3s + 500ms));
}

TEST_P(Recoveries, ThatNobodySurvivesEndWithTheFault) {
    auto nobody = policy(OnFault::elastic);
    nobody.survivors = [](int ranks, const std::vector<int>& dead) {
        EXPECT_EQ(ranks, 4);
        EXPECT_THAT(dead, ElementsAre(1));
        return std::vector<int>{};
    };
    const auto [run, spans] = recover(with_a_death(ranks(4), 1, 4s), nobody, counting(synchronous));
    EXPECT_EQ(run.result.exit_code(), 4);
    EXPECT_EQ(run.lives.size(), 1U);
}

TEST_P(Recoveries, AreNoneWithAbort) {
    const auto [run, spans] = recover(with_a_death(ranks(4), 1, 4s), policy(OnFault::abort), counting(synchronous));
    EXPECT_EQ(run.result.exit_code(), 4);
    ASSERT_EQ(run.lives.size(), 1U);
    EXPECT_EQ(run.lives[0].lost_steps, 1);
    EXPECT_THAT(run.result.fault->message, HasSubstr("as was asked; 3 of 3 ranks can never go on"));
}

TEST_P(Recoveries, ShowAllLivesAndTheTimeBetween) {
    const auto [run, spans] = recover(with_a_death(ranks(2), 1, 4s), policy(OnFault::restart), counting(synchronous));
    std::vector<std::string> seen;
    for (const KeptSpan& span : spans[1]) {
        if (span.kind != OpKind::send && span.kind != OpKind::receive && span.kind != OpKind::collective) {
            seen.push_back(fmt::format("{} {} to {}", span.label, seconds(span.begin), seconds(span.end)));
        }
    }
    EXPECT_THAT(seen,
                ElementsAre("step 0 to 1", "step 1 to 2", "checkpoint 2 to 2.5", "step 2.5 to 3.5", "step 3.5 to 4",
                            "detection 4 to 5", "repair 5 to 15", "restart 15 to 18", "step 18 to 19", "step 19 to 20",
                            "checkpoint 20 to 20.5", "step 20.5 to 21.5", "step 21.5 to 22.5"));
    // Rank 0 ends its step, and then waits for a message that never comes.
    EXPECT_EQ(run.result.ranks[0].compute, Duration(2s + 2s + 4s));
    EXPECT_EQ(run.result.ranks[1].compute, Duration(2s + 1500ms + 4s));
    EXPECT_EQ(run.result.ranks[1].idle, Duration(22500ms - 7500ms));
}

TEST_P(Recoveries, KeepMessagesAndOpsOfLivesApart) {
    const auto [run, spans] =
        recover(with_a_death(ranks(2), 1, 4s), policy(OnFault::restart), [](GPU& gpu, const auto&) {
            for (int i = 0; i < 3; ++i) {
                gpu.compute(Units(10));
                if (gpu.rank() == 0) {
                    gpu.send(1, Units(0));
                } else {
                    gpu.receive(0, Units(0));
                }
            }
            gpu.compute(Units(20));
        });
    std::set<std::uint64_t> messages;
    std::set<std::uint32_t> ops;
    for (const KeptSpan& span : spans[0]) {
        EXPECT_TRUE(span.kind == OpKind::idle || ops.insert(span.op_number).second);
        EXPECT_TRUE(span.message == 0 || messages.insert(span.message).second);
    }
    EXPECT_EQ(messages.size(), 6U);
}

// The state is copied in 0.1 s and written in 1.5 s.
constexpr parallel::Checkpointing asynchronous{.every = 2, .asynchronous = true, .snapshot = 100ms, .write = 1500ms};

TEST_P(Recoveries, FromAsynchronousCheckpointsBeginAtWhatWasWritten) {
    // The checkpoint after step 2 is copied from 2 s to 2.1 s and written by 3.6 s.
    const auto run = recover(with_a_death(ranks(2), 1, 3500ms), policy(OnFault::restart), counting(asynchronous)).run;
    EXPECT_EQ(run.lives[1].first_step, 0);
    EXPECT_EQ(run.lives[0].lost.checkpoints, Duration(100ms));
    EXPECT_EQ(run.lives[0].lost.lost_work, Duration(3400ms));
    const auto later = recover(with_a_death(ranks(2), 1, 3600ms), policy(OnFault::restart), counting(asynchronous)).run;
    EXPECT_EQ(later.lives[1].first_step, 2);
    EXPECT_EQ(later.lives[0].lost.lost_work, Duration(1500ms));  // since 2.1 s
    EXPECT_EQ(later.result.end, Time{3600ms + 14s + 4100ms});
}

TEST_P(Recoveries, CostNothingButTheSnapshotWhereWritingIsHidden) {
    const auto [run, spans] = recover(ranks(2), policy(OnFault::restart), counting(asynchronous));
    EXPECT_EQ(run.result.end, Time{6200ms});
    EXPECT_EQ(lost_time(run.lives).all(), Duration(200ms));
}

TEST_P(Recoveries, WaitForTheLastCheckpointToBeWritten) {
    auto slow = asynchronous;
    slow.write = 3s;
    // Copied at 2.1 s and 4.2 s; the second is written from 5.1 s on.
    const auto [run, spans] = recover(ranks(2), policy(OnFault::restart), counting(slow));
    EXPECT_EQ(run.result.end, Time{8100ms});
}

TEST_P(Recoveries, HoldLongStates) {
    const std::vector<double> state(1'000'000, 0.5);
    const auto program = [&](GPU& gpu, const ranks::Start& start) {
        if (start.from) {
            const auto had = start.state_of(gpu.rank());
            gpu.report("same", std::equal(had.begin(), had.end(), std::as_bytes(std::span(state)).begin()) ? 1 : 0);
        }
        for (std::int64_t step = start.first_step(); step < 3; ++step) {
            gpu.compute(Units(10));
            gpu.checkpoint(step + 1, std::as_bytes(std::span(state)), Duration{0});
        }
    };
    const auto run = recover(with_a_death(ranks(2), 1, 2500ms), policy(OnFault::restart), program).run;
    EXPECT_EQ(run.lives[1].first_step, 2);
    EXPECT_EQ(run.result.reports.at("same").at(0), std::vector<double>{1});
    EXPECT_EQ(run.result.reports.at("same").at(1), std::vector<double>{1});
}

TEST_P(Recoveries, BeginWithNewProcesses) {
    const auto run = recover(with_a_death(ranks(2), 1, 4s), policy(OnFault::restart), counting(synchronous)).run;
    const bool is_process = GetParam() == ranks::Host::process;
    EXPECT_EQ(run.lives[0].pids[0] != run.lives[1].pids[0], is_process);
    EXPECT_EQ(run.result.pids, run.lives[1].pids);
}

TEST(Recoveries, GiveOneTimelineOnBothHostsAndInEveryRun) {
    std::string hash;
    for (int time = 0; time < 3; ++time) {
        for (const ranks::Host host : {ranks::Host::process, ranks::Host::fiber}) {
            for (const OnFault on_fault : {OnFault::restart, OnFault::spare}) {
                const auto run = recover(with_a_death({.ranks = 4, .host = host}, 2, 3700ms), policy(on_fault),
                                         counting(asynchronous))
                                     .run;
                EXPECT_EQ(run.result.timeline_sha256, hash.empty() ? run.result.timeline_sha256 : hash);
                hash = run.result.timeline_sha256;
            }
        }
    }
}

TEST(Recoveries, WithoutAFaultHaveTheTimelineOfTheLaunch) {
    const ranks::LaunchOptions options{.ranks = 3, .host = ranks::Host::fiber};
    const auto program = counting(synchronous);
    const ranks::Result plain = ranks::launch(options, [&](GPU& gpu) { program(gpu, {.places = {0, 1, 2}}); });
    const ranks::Recovered run = ranks::launch_with_recovery(options, policy(OnFault::restart), program);
    EXPECT_EQ(run.result.timeline_sha256, plain.timeline_sha256);
}

TEST(Recoveries, NeedTimesThatCanBe) {
    EXPECT_THROW(recover({.ranks = 2}, {.detection = -1s}, counting(synchronous)), std::invalid_argument);
    EXPECT_THROW(recover({.ranks = 2}, {.spares = -1}, counting(synchronous)), std::invalid_argument);
    EXPECT_THROW(recover({.ranks = 0}, {}, counting(synchronous)), std::invalid_argument);
}

TEST(Runs, BeginWhenTheyAreAskedTo) {
    for (const ranks::Host host : {ranks::Host::process, ranks::Host::fiber}) {
        const auto run = simulate_well({.ranks = 2, .host = host, .begin = Time{10s}}, [](GPU& gpu) {
            gpu.compute(Units(10 * (1 + gpu.rank())));
            gpu.report("now", seconds(gpu.now()));
        });
        EXPECT_EQ(run.span(0, 0).begin, Duration(10s));
        EXPECT_EQ(run.result.end, Time{12s});
        EXPECT_EQ(run.result.ranks[0].compute, Duration(1s));
        EXPECT_EQ(run.result.ranks[0].idle, Duration(1s));
        EXPECT_EQ(run.result.reports.at("now").at(1), std::vector<double>{12});
    }
}

}  // namespace
