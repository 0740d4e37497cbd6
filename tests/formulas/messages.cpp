// Compute, send, receive and their asynchronous forms, against times worked out by hand.
#include "libsim/collectives/all_reduce.hpp"
#include "tests/support/simulate.hpp"

#include <array>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

using Messages = OnBothHosts;
INSTANTIATE_TEST_SUITE_P(Formulas, Messages, both_hosts(), host_name);

TEST_P(Messages, ComputeTakesATenthOfASecondPerUnit) {
    const auto run = simulate_well(ranks(1), [](GPU& gpu) { gpu.compute("work", Units(20)); });
    EXPECT_EQ(run.end(), 2s);
    EXPECT_EQ(run.result.ranks[0].compute, Duration{2s});
}

TEST_P(Messages, ASlowRankTakesItsFactorLonger) {
    Cluster cluster = gpu_py();
    cluster.compute.slowdown = {1.0, 2.5};
    const auto run = simulate_well(ranks(3, cluster), [](GPU& gpu) { gpu.compute(Units(20)); });
    EXPECT_EQ(run.span(0, 0).end, 2s);
    EXPECT_EQ(run.span(1, 0).end, 5s);
    EXPECT_EQ(run.span(2, 0).end, 2s);  // beyond the list: full speed
}

TEST_P(Messages, SenderPaysLatencyAndSizeReceiverTheAcknowledgement) {
    const auto run = simulate_well(
        ranks(2), [](GPU& gpu) { gpu.rank() == 0 ? gpu.send(1, "x", Units(100)) : gpu.receive(0, "x", Units(100)); });
    EXPECT_EQ(run.span(0, 0).end, 1050ms);  // 0.05 + 100 x 0.01
    EXPECT_EQ(run.span(1, 0).begin, 0s);
    EXPECT_EQ(run.span(1, 0).end, 1100ms);  // arrives at 1.05, + 0.05
    EXPECT_EQ(run.result.ranks[1].communication, Duration{1100ms});
    EXPECT_EQ(run.result.ranks[1].idle, Duration{0s});
}

TEST_P(Messages, AReceiverThatComesLateFindsTheMessageThere) {
    const auto run = simulate_well(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.send(1, Units(100));
        } else {
            gpu.compute(Units(30));
            gpu.receive(0, Units(100));
        }
    });
    EXPECT_EQ(run.end(), 3050ms);
}

TEST_P(Messages, WaitingForASenderThatHasNotBegunIsIdleTheTransferIsCommunication) {
    const auto run = simulate_well(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.compute(Units(30));
            gpu.send(1, Units(100));
        } else {
            gpu.receive(0, Units(100));
        }
    });
    EXPECT_EQ(run.result.ranks[1].idle, Duration{3s});
    EXPECT_EQ(run.result.ranks[1].communication, Duration{1100ms});
    EXPECT_EQ(run.span(1, 0).idle, 3s);
}

TEST_P(Messages, BytesAndFlopsCostWhatBandwidthAndRateSay) {
    const Cluster cluster = uniform({.latency = 5us, .bandwidth = 50 * GB_per_s, .flops = 100 * TFLOP_per_s});
    const auto run = simulate_well(ranks(2, cluster), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.compute(Flops(1'000'000'000));  // 10 us
            gpu.send(1, 1_MB);                  // 5 + 20 us
        } else {
            gpu.receive(0, 1_MB);
        }
    });
    EXPECT_EQ(run.end(), 35us);
    EXPECT_EQ(run.result.ranks[0].bytes_sent, 1'000'000);
}

TEST_P(Messages, OfOneTagArriveInTheOrderSentAndTagsDoNotMix) {
    const auto run = simulate_well(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.send(1, std::vector<int>{1}, "a", Units(0), Tag{7});
            gpu.send(1, std::vector<int>{2}, "b", Units(0), Tag{8});
            gpu.send(1, std::vector<int>{3}, "c", Units(0), Tag{7});
        } else {
            std::vector<double> got;
            for (const Tag tag : {Tag{8}, Tag{7}, Tag{7}}) {
                got.push_back(gpu.receive<int>(0, "", {}, tag).at(0));
            }
            gpu.report("got", got);
        }
    });
    EXPECT_EQ(run.result.reports.at("got").at(1), (std::vector<double>{2, 1, 3}));
}

TEST_P(Messages, BringTheirDataWhateverItsLength) {
    for (const std::size_t count : {1U, 1000U, 50'000U, 300'000U}) {
        const auto run = simulate_well(ranks(2), [count](GPU& gpu) {
            std::vector<double> data(count);
            if (gpu.rank() == 0) {
                for (std::size_t i = 0; i < count; ++i) {
                    data[i] = static_cast<double>(i) * 0.5;
                }
                gpu.send(1, data, "data", Units(1));
                gpu.receive(1, std::span(data), "back", Units(1));
                gpu.report("back", data.back());
            } else {
                gpu.receive(0, std::span(data), "data", Units(1));
                for (double& value : data) {
                    value += 1;
                }
                gpu.send(0, data, "back", Units(1));
            }
        });
        EXPECT_EQ(run.result.reports.at("back").at(0).at(0), static_cast<double>(count - 1) * 0.5 + 1);
        EXPECT_EQ(run.end(), 2 * (60ms + 50ms));
    }
}

TEST_P(Messages, TakeAnyContiguousRangeOfPlainValues) {
    struct Pair {
        int a = 0;
        float b = 0;
    };
    const auto run = simulate_well(ranks(2), [](GPU& gpu) {
        std::array<Pair, 2> pairs{Pair{1, 2}, Pair{3, 4}};
        std::vector<double> numbers{5, 6};
        const std::span<double> view(numbers);
        if (gpu.rank() == 0) {
            gpu.send(1, pairs, "pairs", Units(1));
            gpu.send(1, view, "view", Units(1));
        } else {
            pairs = {};
            gpu.receive(0, pairs, "pairs", Units(1));
            gpu.receive(0, numbers, "view", Units(1));
            gpu.report("got", std::vector<double>{static_cast<double>(pairs[1].a), view[1]});
        }
    });
    EXPECT_EQ(run.result.reports.at("got").at(1), (std::vector<double>{3, 6}));
}

TEST_P(Messages, NowIsTheRanksOwnSimulatedTime) {
    const auto run = simulate_well(ranks(2), [](GPU& gpu) {
        gpu.compute(Units(gpu.rank() + 1));
        gpu.report("now", seconds(gpu.now()));
    });
    EXPECT_EQ(run.result.reports.at("now").at(0).at(0), 0.1);
    EXPECT_EQ(run.result.reports.at("now").at(1).at(0), 0.2);
}

TEST_P(Messages, AnAsynchronousSendOverlapsWithCompute) {
    const auto run = simulate_well(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            const Handle sending = gpu.send_async(1, "x", Units(100));  // 0 to 1.05 s
            gpu.compute(Units(20));                                     // 0 to 2 s
            gpu.wait(sending);
        } else {
            gpu.receive(0, "x", Units(100));
        }
    });
    EXPECT_EQ(run.end(), 2s);
    EXPECT_EQ(run.result.ranks[0].communication, Duration{0s}) << "hidden behind compute";
    EXPECT_EQ(run.span(1, 0).end, 1100ms);
}

TEST_P(Messages, AnAsynchronousReceiveIsDoneWhenItIsWaitedForLate) {
    const auto run = simulate_well(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.send(1, std::vector<int>{42}, "x", Units(100));
        } else {
            int value = 0;
            const Handle receiving = gpu.receive_async(0, std::span(&value, 1), "x", Units(100));
            gpu.compute(Units(5));
            gpu.wait(receiving);
            gpu.report("value", value);
            gpu.report("now", seconds(gpu.now()));
        }
    });
    EXPECT_EQ(run.result.reports.at("value").at(1).at(0), 42);
    EXPECT_EQ(run.result.reports.at("now").at(1).at(0), 1.1);
}

TEST_P(Messages, ReceivesWaitSideBySide) {
    const auto run = simulate_well(ranks(3), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            const Handle slow = gpu.receive_async(1, "slow", Units(0));
            const Handle fast = gpu.receive_async(2, "fast", Units(0));
            gpu.wait(fast);
            gpu.report("fast", seconds(gpu.now()));
            gpu.wait(slow);
        } else {
            gpu.compute(Units(gpu.rank() == 1 ? 30 : 10));
            gpu.send(0, gpu.rank() == 1 ? "slow" : "fast", Units(0));
        }
    });
    EXPECT_EQ(run.result.reports.at("fast").at(0).at(0), 1.1);
    EXPECT_EQ(run.end(), 3100ms);
}

TEST_P(Messages, WaitingForOnesOwnSendsIsCommunicationAlsoForThoseBeforeThem) {
    const auto run = simulate_well(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.send_async(1, "first", Units(100));
            gpu.wait(gpu.send_async(1, "second", Units(100)));
        } else {
            gpu.receive(0, "first", Units(100));
            gpu.receive(0, "second", Units(100));
        }
    });
    EXPECT_EQ(run.result.ranks[0].communication, Duration{2100ms});
}

TEST_P(Messages, ARankEndsWhenAllThatItStartedHasEnded) {
    const auto run = simulate_well(ranks(2), [](GPU& gpu) {
        gpu.rank() == 0 ? gpu.send_async(1, "x", Units(100)) : gpu.receive_async(0, "x", Units(100));
    });
    EXPECT_EQ(run.result.ranks[0].end, Time{1050ms});
    EXPECT_EQ(run.result.ranks[1].end, Time{1100ms});
}

TEST_P(Messages, TimesOfEveryRankAddUpToTheRun) {
    const auto run = simulate_well(ranks(4), [](GPU& gpu) {
        gpu.compute(Units(gpu.rank() * 3));
        const int next = (gpu.rank() + 1) % 4;
        const int previous = (gpu.rank() + 3) % 4;
        const Handle receiving = gpu.receive_async(previous, "x", Units(gpu.rank() == 0 ? 3 : gpu.rank() - 1));
        const Handle sending = gpu.send_async(next, "x", Units(gpu.rank()));
        gpu.compute_async("more", Units(2));
        gpu.wait(receiving);
        gpu.wait(sending);
        gpu.barrier();
    });
    for (const RankTotals& rank : run.result.ranks) {
        EXPECT_EQ(rank.compute + rank.communication + rank.idle, run.end());
        EXPECT_GE(rank.idle, Duration{0});
    }
}

TEST_P(Messages, BeginAfterTheLauncherWasToldThePidOfEveryRank) {
    ranks::LaunchOptions options = ranks(3);
    std::vector<int> pids;
    std::size_t spans = 0;
    options.on_start = [&](const std::vector<int>& of_ranks) {
        pids = of_ranks;
        EXPECT_EQ(spans, 0U);
    };
    options.on_span = [&](const Span&) { ++spans; };
    const auto result = ranks::launch(options, [](GPU& gpu) { gpu.compute(Units(1)); });
    EXPECT_EQ(pids, result.pids);
    EXPECT_EQ(pids.size(), 3U);
    EXPECT_EQ(spans, 3U);
}

TEST_P(Messages, OfUnknownPriceAreAnErrorThatSaysWhatToDo) {
    const auto run = simulate(ranks(2), [](GPU& gpu) { gpu.rank() == 0 ? gpu.send(1, 1_MB) : gpu.receive(0, 1_MB); });
    ASSERT_FALSE(run.result.ok());
    EXPECT_THAT(run.result.fault->message,
                testing::HasSubstr(
                    "op 0: send 1000000 B to 1 at 0 s: profile gpu-py has no price for bytes; give the cost in units"));
    const auto by_size = simulate(ranks(2), [](GPU& gpu) { all_reduce(gpu, world(gpu), 1_MB); });
    EXPECT_THAT(by_size.result.fault->message,
                testing::HasSubstr("rank 0, op 0: all-reduce of 1000000 B at 0 s: profile"));
}

}  // namespace
