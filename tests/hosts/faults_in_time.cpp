// Faults that slow down, stop or disconnect ranks and links: their cost, to the picosecond, on every host.
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/broadcast.hpp"
#include "libsim/config/injection_text.hpp"
#include "libsim/network/topologies/topologies.hpp"
#include "libsim/replay/recording.hpp"
#include "tests/support/simulate.hpp"

#include <stdexcept>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

using FaultsInTime = OnBothHosts;
INSTANTIATE_TEST_SUITE_P(Hosts, FaultsInTime, both_hosts(), host_name);

// gpu-py: 0.1 s a unit of compute; a message takes 0.05 s + 0.01 s a unit, and 0.05 s to be received.
ranks::LaunchOptions suffering(ranks::LaunchOptions options, const std::vector<std::string>& faults) {
    for (const std::string& text : faults) {
        options.faults.push_back(config::injection_of_text("fault", text));
    }
    return options;
}

void one_second_each(GPU& gpu) {
    for (int part = 0; part < 3; ++part) {
        gpu.compute(Units(10));
    }
}

TEST_P(FaultsInTime, ASlowRankTakesSoManyTimesAsLong) {
    const auto run = simulate_well(suffering(ranks(2), {"slow rank 1 x2.5"}), one_second_each);
    EXPECT_EQ(run.result.ranks[0].end, Time{3s});
    EXPECT_EQ(run.result.ranks[1].end, Time{7500ms});
}

TEST_P(FaultsInTime, ARankIsSlowOnlyMeanwhile) {
    const auto run = simulate_well(suffering(ranks(1), {"slow rank 0 x2 from 500ms to 2500ms"}), one_second_each);
    // 0.5 s at full speed, 1 s of progress in the 2 s at half speed, 1.5 s after that.
    EXPECT_EQ(run.span(0, 0).end, Duration(1500ms));
    EXPECT_EQ(run.span(0, 1).end, Duration(3s));
    EXPECT_EQ(run.end(), Duration(4s));
}

TEST_P(FaultsInTime, ARankThatGetsHotAgainAndAgainIsSlowEachTime) {
    const auto run =
        simulate_well(suffering(ranks(1), {"slow rank 0 x2 from 500ms to 700ms every 1s"}), one_second_each);
    // 0.1 s is lost at each of 0.5, 1.5 and 2.5 s.
    EXPECT_EQ(run.end(), Duration(3300ms));
}

TEST_P(FaultsInTime, SlowdownsOfOneRankMultiply) {
    const auto run = simulate_well(suffering(ranks(1), {"slow rank 0 x2", "slow rank 0 x3 to 6s"}), one_second_each);
    EXPECT_EQ(run.span(0, 0).end, Duration(6s));
    EXPECT_EQ(run.end(), Duration(10s));
}

TEST_P(FaultsInTime, AStoppedRankGoesOnWhereItWas) {
    const auto run = simulate_well(suffering(ranks(2), {"stop rank 1 at 1500ms for 500ms"}), [](GPU& gpu) {
        one_second_each(gpu);
        gpu.rank() == 1 ? gpu.send(0, Units(0)) : gpu.receive(1, Units(0));
    });
    EXPECT_EQ(run.span(1, 1).end, Duration(2500ms));
    EXPECT_EQ(run.result.ranks[1].end, Time{3550ms});
    EXPECT_EQ(run.result.ranks[0].end, Time{3600ms});
}

TEST_P(FaultsInTime, AStoppedRankBeginsNothingButWhatIsUnderWayArrives) {
    const auto run = simulate_well(suffering(ranks(2), {"stop rank 0 at 10ms for 1s"}), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.receive(1, Units(0));  // begins before the stop
            gpu.send(1, Units(0));
        } else {
            gpu.send(0, Units(0));
            gpu.receive(0, Units(0));
        }
    });
    EXPECT_EQ(run.span(0, 0).end, Duration(100ms));
    EXPECT_EQ(run.span(0, 1).begin, Duration(1010ms));
    EXPECT_EQ(run.end(), Duration(1110ms));
}

TEST_P(FaultsInTime, NoiseLengthensEachComputationByUpToTwiceItsMean) {
    const auto run = simulate_well(suffering(ranks(2), {"noise 10% on rank 1"}), [](GPU& gpu) {
        for (int i = 0; i < 100; ++i) {
            gpu.compute(Units(1));
        }
    });
    EXPECT_EQ(run.result.ranks[0].end, Time{10s});
    std::vector<Duration> seen;
    for (const KeptSpan& span : run.spans[1]) {
        const Duration extra = span.end - span.begin - Duration(100ms);
        EXPECT_GE(extra, Duration{0});
        EXPECT_LT(extra, Duration(20ms));
        seen.push_back(extra);
    }
    EXPECT_NE(seen[0], seen[1]);
    // The mean of 100 draws is within 4 standard deviations, each 0.2 / sqrt(12 x 100) of the total.
    EXPECT_NEAR(seconds(run.result.ranks[1].end), 11.0, 10 * 4 * 0.2 / std::sqrt(1200));
}

TEST_P(FaultsInTime, NoiseIsThatOfItsSeed) {
    const auto end_with = [](const char* fault) {
        return simulate_well(suffering(ranks(2), {fault}), one_second_each).result.timeline_sha256;
    };
    EXPECT_EQ(end_with("noise 5%"), end_with("noise 5% seed 1"));
    EXPECT_NE(end_with("noise 5%"), end_with("noise 5% seed 2"));
}

TEST_P(FaultsInTime, ASlowLinkDelaysWhatIsSentOverIt) {
    const auto run = simulate_well(suffering(ranks(3), {"slow link 0-1 x4"}), [](GPU& gpu) {
        const int next = (gpu.rank() + 1) % 3;
        gpu.send(next, Units(5));
        gpu.receive((gpu.rank() + 2) % 3, Units(5));
    });
    // 0.1 s a message, but 0.4 s from rank 0 to 1; 0.05 s to receive it.
    EXPECT_EQ(run.result.ranks[0].end, Time{450ms});
    EXPECT_EQ(run.result.ranks[1].end, Time{450ms});
    EXPECT_EQ(run.result.ranks[2].end, Time{150ms});
}

TEST_P(FaultsInTime, ALinkIsSlowBothWaysAndOnlyMeanwhile) {
    const auto run = simulate_well(suffering(ranks(2), {"slow link 1-0 x2 from 50ms to 150ms"}), [](GPU& gpu) {
        gpu.rank() == 0 ? gpu.send(1, Units(5)) : gpu.receive(0, Units(5));
        gpu.rank() == 1 ? gpu.send(0, Units(5)) : gpu.receive(1, Units(5));
    });
    // The first message has 0.05 s at full speed; the rest takes twice as long, until 0.15 s. The second begins at 0.2
    // s.
    EXPECT_EQ(run.span(0, 0).end, Duration(150ms));
    EXPECT_EQ(run.end(), Duration(350ms));
}

// By size it is one evaluation; with data it is a sequence of messages.
TEST_P(FaultsInTime, ACollectiveSuffersASlowLinkAlikeWithDataAndWithout) {
    for (const char* const fault : {"slow link 1-2 x3", "slow link 3-0 x2 from 200ms to 700ms"}) {
        const auto by_size =
            simulate_well(suffering(ranks(4), {fault}), [](GPU& gpu) { all_reduce(gpu, world(gpu), Units(8)); });
        const auto with_data = simulate_well(suffering(ranks(4), {fault}), [](GPU& gpu) {
            std::vector<double> data(8, 1.0);
            all_reduce(gpu, world(gpu), data, Units(8));
        });
        EXPECT_EQ(by_size.end(), with_data.end()) << fault;
        EXPECT_GT(by_size.end(), Duration(6 * 120ms)) << fault;  // 6 steps of 2 units, undisturbed
    }
}

TEST_P(FaultsInTime, ACableOfATopologyIsSlowForAllThatShareIt) {
    ranks::LaunchOptions options = ranks(3);
    // 1 GB/s and no latency: 1 GB from rank 0 and 1 GB from rank 1 share the cable to rank 2.
    options.cluster = {
        .compute = uniform({}).compute,
        .network = FairShare{std::make_shared<const Topology>(single_switch(3, {.bandwidth = GB_per_s}))}};
    const auto program = [](GPU& gpu) {
        if (gpu.rank() < 2) {
            gpu.send(2, 1_GB);
        } else {
            gpu.receive(0, 1_GB);
            gpu.receive(1, 1_GB);
        }
    };
    EXPECT_EQ(simulate_well(options, program).end(), Duration(2s));
    const std::string to_2 = fmt::format("slow link 'switch'-2 x2 from 1s to {}", "2s");
    // 1 GB of 2 in the first second, 0.5 GB in the next, 0.5 s for the rest.
    EXPECT_EQ(simulate_well(suffering(options, {to_2}), program).end(), Duration(2500ms));
}

TEST_P(FaultsInTime, ADroppedCardLosesWhatIsSentFromThenOn) {
    const auto run = simulate(suffering(ranks(3), {"drop nic 1 at 1s"}), [](GPU& gpu) {
        for (int step = 0; step < 2; ++step) {
            gpu.compute(Units(8));
            gpu.send((gpu.rank() + 1) % 3, Units(0));
            gpu.receive((gpu.rank() + 2) % 3, Units(0));
        }
    });
    // The messages of the first step leave at 0.8 s; of those of the second step, at 1.7 s, two involve rank 1.
    EXPECT_EQ(run.result.exit_code(), 5);
    EXPECT_TRUE(run.result.fault->as_asked);
    EXPECT_EQ(run.result.fault->message,
              "2 messages did not get through, as was asked; 2 of 3 ranks can never go on\n"
              "  rank 1, op 5: receive from 0   what rank 0 sent did not get through\n"
              "  rank 2, op 5: receive from 1   what rank 1 sent did not get through");
    EXPECT_EQ(run.result.ranks[0].end, Time{1800ms});
}

// An asynchronous sender is not held up by a lost message, whichever end lost its NIC.
TEST_P(FaultsInTime, ADroppedCardLosesWhatIsSentBesideTheProgramToo) {
    const auto run = simulate(suffering(ranks(2), {"drop nic 1 at 0s"}), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            const Handle sent = gpu.send_async(1, Units(5));
            gpu.compute(Units(10));
            gpu.wait(sent);
        } else {
            gpu.receive(0, Units(5));
        }
    });
    EXPECT_EQ(run.result.exit_code(), 5);
    EXPECT_THAT(run.result.fault->message,
                HasSubstr("rank 1, op 0: receive from 0   what rank 0 sent did not get through"));
    EXPECT_EQ(run.result.ranks[0].end, Time{1s});
}

TEST_P(FaultsInTime, ADroppedCardLeavesACollectiveUnfinished) {
    for (const bool has_data : {false, true}) {
        const auto run = simulate(suffering(ranks(4), {"drop nic 2"}), [has_data](GPU& gpu) {
            std::vector<double> data(4, 1.0);
            has_data ? all_reduce(gpu, world(gpu), data, Units(4)) : all_reduce(gpu, world(gpu), Units(4));
        });
        EXPECT_EQ(run.result.exit_code(), 5);
        EXPECT_EQ(run.result.fault->ops.size(), 4U);
        EXPECT_THAT(run.result.fault->message, HasSubstr("did not get through, as was asked; 4 of 4 ranks"));
    }
}

TEST_P(FaultsInTime, ANodeDiesWithAllItsRanks) {
    ranks::LaunchOptions options = ranks(4);
    options.cluster = {
        .compute = gpu_py().compute,
        .network = Nodes{.ranks_per_node = 2, .within = {.per_byte = Pace{1, 1}}, .across = {.per_byte = Pace{1, 1}}}};
    const auto run = simulate(suffering(options, {"kill node 1 at 1s"}), [](GPU& gpu) {
        gpu.compute(Units(10));
        all_reduce(gpu, world(gpu), 4_B);
    });
    EXPECT_EQ(run.result.exit_code(), 4);
    EXPECT_THAT(run.result.fault->dead, ElementsAre(2, 3));
    EXPECT_THAT(run.result.fault->message,
                HasSubstr("after op 0, at 1 s, and 1 more were killed, as was asked; 2 of 2"));
}

TEST_P(FaultsInTime, ThatComeTooLateChangeNothing) {
    const auto program = [](GPU& gpu) {
        gpu.compute(Units(10));
        all_reduce(gpu, world(gpu), Units(9));
    };
    const auto alone = simulate_well(ranks(3), program);
    const auto late =
        simulate_well(suffering(ranks(3), {"kill rank 1 at 1h", "slow rank 0 x9 from 1h", "slow link 0-1 x4 from 1h",
                                           "drop nic 2 at 1h", "stop rank 2 at 1h for 1s", "noise 0%"}),
                      program);
    EXPECT_EQ(late.result.timeline_sha256, alone.result.timeline_sha256);
}

void busy(GPU& gpu) {
    for (int step = 0; step < 5; ++step) {
        gpu.compute(Units(3 + gpu.rank()));
        all_reduce(gpu, world(gpu), Units(9));
        gpu.wait(gpu.send_async((gpu.rank() + 1) % gpu.world_size(), Units(1)));
        gpu.receive((gpu.rank() + gpu.world_size() - 1) % gpu.world_size(), Units(1));
    }
}

TEST(FaultsInTime, GiveOneTimelineOnBothHostsInEveryRunAndOfARecording) {
    const std::vector<std::vector<std::string>> cases{
        {"slow rank 2 x2.5 from 1s to 4s", "noise 3% seed 4", "slow link 0-1 x4"},
        {"stop rank 1 at 700ms for 2s", "slow rank 3 x1.5 from 1s to 1200ms every 2s"},
        {"drop nic 3 at 3s", "kill rank 0 at 5s"}};
    for (const std::vector<std::string>& faults : cases) {
        const auto options = suffering({.ranks = 4, .host = ranks::Host::fiber}, faults);
        const ranks::Result first = ranks::launch(options, busy);
        for (int time = 0; time < 5; ++time) {
            auto again = options;
            again.host = ranks::Host::process;
            EXPECT_EQ(ranks::launch(again, busy).timeline_sha256, first.timeline_sha256);
        }
        const replay::Replay replayed = replay::Recording(4, busy).replay({.faults = options.faults});
        EXPECT_EQ(replayed.timeline_sha256, first.timeline_sha256);
        EXPECT_EQ(replayed.waiting.size(), first.fault ? first.fault->ops.size() : 0U);
    }
}

TEST(FaultsInTime, NeedWhatTheyConcern) {
    const auto refusal = [](const char* fault, const Cluster& cluster) -> std::string {
        try {
            ranks::launch(suffering({.ranks = 2, .host = ranks::Host::fiber, .cluster = cluster}, {fault}), busy);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_EQ(refusal("slow rank 2 x2", gpu_py()), "there is no rank 2 to slow down: ranks are 0 to 1");
    EXPECT_EQ(refusal("stop rank 7 at 1s for 1s", gpu_py()), "there is no rank 7 to stop: ranks are 0 to 1");
    EXPECT_EQ(refusal("noise 1% on rank 2", gpu_py()), "there is no rank 2 to disturb: ranks are 0 to 1");
    EXPECT_EQ(refusal("slow link 0-2 x2", gpu_py()), "there is no link 0-2: it needs two different ranks of 0 to 1");
    EXPECT_EQ(refusal("slow link 'leaf'-0 x2", gpu_py()),
              "there is no 'leaf': only a topology has vertices with names; name two ranks");
    EXPECT_EQ(refusal("drop nic 2", gpu_py()), "there is no nic 2: they are 0 to 1, one for each rank");
    EXPECT_EQ(refusal("kill node 0 at 1s", gpu_py()),
              "there is no node to kill: this network has none; kill its ranks, or use a network with nodes");
    const Cluster star{.network =
                           FairShare{std::make_shared<const Topology>(single_switch(2, {.bandwidth = GB_per_s}))}};
    EXPECT_EQ(refusal("slow link 0-1 x2", star),
              "no link joins 'gpu 0' and 'gpu 1': those of 'gpu 0' lead to 'switch'");
    EXPECT_EQ(refusal("slow link 'swich'-1 x2", star), "switch has no 'swich'; did you mean switch?");
}

}  // namespace
