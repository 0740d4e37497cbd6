// Streams that communicate: in order within a stream, concurrent across streams, joined by handles.
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/replay/recording.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulate.hpp"

#include <numeric>

using namespace sim;
using namespace sim::replay;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

class Streams : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, Streams, both_hosts(), host_name);

constexpr Stream first{1};
constexpr Stream second{2};

Cluster overlapping(double slowdown) {
    Cluster cluster = gpu_py();
    cluster.compute.overlap_slowdown = slowdown;
    return cluster;
}

// gpu-py: sending 95 units takes 0.05 + 0.95 = 1 s, receiving 0.05 s more.
constexpr double second_of_data = 95;

}  // namespace

TEST_P(Streams, AnAllReduceBesideAComputationTakesTheLongerOfTheTwo) {
    // Ring of 4 ranks, 500 units: 8.1 s; 60 compute units: 6 s; 100: 10 s.
    for (const auto& [units, end] : {std::pair{60.0, 8100ms}, std::pair{100.0, 10000ms}}) {
        const Simulation s = simulate_well(ranks(4), [units = units](GPU& gpu) {
            const Handle done = gpu.on(first, [&] { all_reduce(gpu, world(gpu), Units{500}); });
            gpu.compute(Units{units});
            gpu.wait(done);
        });
        EXPECT_EQ(s.end(), end);
        EXPECT_EQ(s.result.ranks[0].communication, end - s.result.ranks[0].compute);
    }
}

TEST_P(Streams, AnAllReduceWithDataBesideAComputationGivesTheSumAndTheSameTime) {
    const Simulation s = simulate_well(ranks(4), [](GPU& gpu) {
        std::vector<double> data(100, gpu.rank() + 1.0);
        const Handle done = gpu.on(first, [&] { all_reduce(gpu, world(gpu), data, Units{500}); });
        gpu.compute(Units{60});
        gpu.wait(done);
        gpu.report("sum", data);
    });
    EXPECT_EQ(s.end(), 8100ms);
    EXPECT_EQ(s.result.ranks[2].compute, 6000ms);
    EXPECT_EQ(s.result.ranks[2].communication, 2100ms);
    EXPECT_EQ(s.result.reports.at("sum").at(3), std::vector<double>(100, 10.0));
}

TEST_P(Streams, WorkOnOneStreamIsInOrderAndOnTwoStreamsSideBySide) {
    for (const auto& [other, end] : {std::pair{first, 2100ms}, std::pair{second, 1050ms}}) {
        const Simulation s = simulate_well(ranks(2), [other = other](GPU& gpu) {
            const auto exchange = [&] {
                gpu.send(1 - gpu.rank(), Units{second_of_data});
                gpu.receive(1 - gpu.rank(), Units{second_of_data});
            };
            gpu.on(first, exchange);
            gpu.on(other, exchange);
        });
        EXPECT_EQ(s.end(), end);
    }
}

TEST_P(Streams, AStreamBeginsNoEarlierThanTheProgramHasIssuedItsWork) {
    const Simulation s = simulate_well(ranks(2), [](GPU& gpu) {
        gpu.compute(Units{30});
        gpu.on(first, [&] { gpu.rank() == 0 ? gpu.send(1, Units{95}) : gpu.receive(0, Units{95}); });
    });
    EXPECT_EQ(s.span(0, 1).begin, 3s);
    EXPECT_EQ(s.end(), 4050ms);
}

TEST_P(Streams, AStreamThatWaitsDoesNotKeepItsProgramFromSending) {
    // Rank 0's stream waits for a message that rank 1 sends only after rank 0's program has sent.
    const Simulation s = simulate_well(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            const Handle came = gpu.on(first, [&] { gpu.receive(1, Units{95}); });
            gpu.compute(Units{10});
            gpu.send(1, Units{95});
            gpu.wait(came);
        } else {
            gpu.receive(0, Units{95});
            gpu.on(first, [&] { gpu.send(0, Units{95}); });
        }
    });
    EXPECT_EQ(s.end(), 1s + 1050ms + 1050ms);
    EXPECT_EQ(s.result.ranks[0].compute, 1s);
    EXPECT_EQ(s.result.ranks[0].idle, 50ms);  // from 2 s, until rank 1 begins to send at 2.05 s
    EXPECT_EQ(s.result.ranks[0].communication, 2050ms);
}

TEST_P(Streams, AStreamWaitsForAMarkInAnother) {
    const Simulation s = simulate_well(ranks(2), [](GPU& gpu) {
        const int peer = 1 - gpu.rank();
        const auto message = [&] { gpu.rank() == 0 ? gpu.send(peer, Units{95}) : gpu.receive(peer, Units{95}); };
        const Handle one = gpu.on(first, message);
        gpu.on(second, [&] {
            gpu.wait(one);
            message();
        });
    });
    EXPECT_EQ(s.end(), 2050ms);  // sent from 0 s to 1 s and from 1 s to 2 s, acknowledged until 2.05 s
}

TEST_P(Streams, TheEndOfAProgramWaitsForItsStreams) {
    const Simulation s = simulate_well(ranks(4), [](GPU& gpu) {
        gpu.on(first, [&] { all_reduce(gpu, world(gpu), Units{500}); });
        gpu.on(second, [&] { all_reduce(gpu, world(gpu), Units{500}); });
    });
    EXPECT_EQ(s.end(), 8100ms);
    EXPECT_EQ(s.result.ranks[1].communication, 8100ms);
}

TEST_P(Streams, ComputingBesideABusyStreamTakesLongerOnlyWhileItIsBusy) {
    // 10 s of compute, 4 s of it during a message at two thirds of the speed: 4 x (1 - 2/3) s more.
    const auto program = [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.on(first, [&] { gpu.send(1, Units{395}); });
            gpu.compute(Units{100});
        } else {
            gpu.on(first, [&] { gpu.receive(0, Units{395}); });
        }
    };
    EXPECT_EQ(simulate_well(ranks(2, overlapping(1.0)), program).end(), 10s);
    EXPECT_EQ(simulate_well(ranks(2, overlapping(1.5)), program).end().count(), 11'333'333'333'334);
    EXPECT_EQ(simulate_well(ranks(2, overlapping(2.0)), program).end(), 12s);
}

TEST_P(Streams, ComputingIsNotSlowedDownWhileAStreamOnlyWaits) {
    const Simulation s = simulate_well(ranks(2, overlapping(2.0)), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.on(first, [&] { gpu.receive(1, Units{95}); });
            gpu.compute(Units{100});
            gpu.send(1, Units{0});  // rank 1 waits for this: nothing else could proceed before this computation
        } else {
            gpu.receive(0, Units{0});
            gpu.on(first, [&] { gpu.send(0, Units{95}); });
        }
    });
    EXPECT_EQ(s.result.ranks[0].compute, 10s);
    EXPECT_EQ(s.end(), 10s + 50ms + 50ms + 1s + 50ms);
}

TEST_P(Streams, ComputingBesideStreamsThatAllWaitForEachOtherEndsAllTheSame) {
    // Every rank computes while its stream waits for the op that follows the other rank's next computation: again and
    // again only such a computation can make progress.
    constexpr int rounds = 2000;
    const Simulation s = simulate_well(ranks(2, overlapping(1.5)), [](GPU& gpu) {
        const int other = 1 - gpu.rank();
        const Stream in = gpu.rank() == 0 ? first : second;
        const Stream out = gpu.rank() == 0 ? second : first;
        for (int round = 0; round < rounds; ++round) {
            const Handle came = gpu.on(in, [&] { gpu.receive(other, Units{0}); });
            gpu.compute(Units{1});
            const Handle left = gpu.on(out, [&] { gpu.send(other, Units{0}); });
            gpu.wait(came);
            gpu.wait(left);
        }
    });
    EXPECT_EQ(s.end(), rounds * (100ms + 50ms + 50ms));
}

TEST_P(Streams, OfComputationsThatNobodyCanGoOnWithoutTheOneThatEndsFirstIsNext) {
    // Rank 1's computation ends at 1 s. Its message is in flight to rank 0 until 2.05 s, and slows rank 0 down for 1.05
    // s.
    const Simulation s = simulate_well(ranks(2, overlapping(2.0)), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.on(first, [&] { gpu.receive(1, Units{95}); });
            gpu.compute(Units{100});
            gpu.on(second, [&] { gpu.send(1, Units{0}); });
        } else {
            gpu.on(second, [&] { gpu.receive(0, Units{0}); });
            gpu.compute(Units{10});
            gpu.on(first, [&] { gpu.send(0, Units{95}); });
        }
    });
    EXPECT_EQ(s.result.ranks[1].compute, 1s);
    EXPECT_EQ(s.result.ranks[0].compute, 10s + 525ms);
    EXPECT_EQ(s.end(), 10s + 525ms + 50ms + 50ms);
}

TEST_P(Streams, ThatWaitWhenTheirProgramHasReturnedAreExplained) {
    const auto fault = [](const ranks::Program& program) { return simulate(ranks(2), program).result.fault; };
    const auto done = fault([](GPU& gpu) {
        gpu.send_async((gpu.rank() + 1) % 2, Units{1});
        gpu.compute_async("work", Units{1});
        gpu.on(first, [] {});
        gpu.on(second, [&] { gpu.receive((gpu.rank() + 1) % 2, Units{1}, Tag{7}); });
    });
    ASSERT_TRUE(done);
    EXPECT_EQ(done->failure, ranks::Failure::mismatch_or_deadlock);
    EXPECT_THAT(done->message,
                testing::HasSubstr("returned, but still waits for stream 2, in its op 2: receive from 1"));
}

TEST_P(Streams, AMarkBringsNoData) {
    const Simulation s = simulate(ranks(2), [](GPU& gpu) {
        std::vector<double> data(4, 1.0);
        if (gpu.rank() == 0) {
            gpu.send(1, data);
            return;
        }
        gpu.receive(0, data);
        Handle mark = gpu.on(first, [] {});
        mark.into = std::as_writable_bytes(std::span(data));
        gpu.wait(mark);
    });
    EXPECT_FALSE(s.result.ok());
}

TEST_P(Streams, MatchMessagesWithinAStreamAndExplainOtherwise) {
    const Simulation s = simulate(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.on(first, [&] { gpu.send(1, Units{95}); });
        } else {
            gpu.receive(0, Units{95});
        }
    });
    ASSERT_FALSE(s.result.ok());
    EXPECT_THAT(s.result.fault->message,
                testing::HasSubstr("rank 0 sent it on stream 1 at 0 s; both ends must be on the same stream"));
}

TEST_P(Streams, ThatCanNeverGoOnAreExplained) {
    const Simulation s = simulate(ranks(2), [](GPU& gpu) {
        const Handle never = gpu.on(first, [&] { gpu.receive(1 - gpu.rank(), Units{95}); });
        gpu.compute(Units{10});
        gpu.wait(never);
    });
    ASSERT_FALSE(s.result.ok());
    EXPECT_EQ(s.result.exit_code(), 3);
    EXPECT_THAT(
        s.result.fault->message,
        testing::HasSubstr("wait for stream 1, in its op 0: receive from 1   nothing was sent; rank 1 waits too"));
}

TEST_P(Streams, AreNumberedFromOne) {
    const auto fault = [](const ranks::Program& program) { return simulate(ranks(2), program).result.fault->message; };
    EXPECT_THAT(fault([](GPU& gpu) { gpu.on(Stream::main, [] {}); }),
                testing::HasSubstr("a stream beside the program must be 1 to 62, not 0"));
}

TEST_P(Streams, GiveOneTimelineForRandomProgramsInEveryOrderAndOnEveryHost) {
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
        const auto program = [seed](GPU& gpu) {
            Random common(seed);  // the same on every rank: drives the common ops
            Random own(seed * 1000 + static_cast<std::uint64_t>(gpu.rank()));
            std::vector<Handle> open;
            for (int step = 0; step < 30; ++step) {
                gpu.compute(Units{static_cast<double>(own.below(30))});
                const Stream stream{static_cast<std::uint8_t>(common.below(4))};
                const bool with_data = common.below(2) == 0;
                const bool ring = common.below(2) == 0;
                std::vector<double> data(8, 1.0);
                const auto work = [&] {
                    const int n = gpu.world_size();
                    gpu.compute(Units{static_cast<double>(own.below(4))});
                    if (ring) {
                        gpu.send((gpu.rank() + 1) % n, Units{10});
                        gpu.receive((gpu.rank() + n - 1) % n, Units{10});
                    } else if (with_data) {
                        all_reduce(gpu, world(gpu), data, Units{30});
                    } else {
                        all_reduce(gpu, world(gpu), Units{30});
                    }
                };
                if (stream == Stream::main) {
                    work();
                } else {
                    open.push_back(gpu.on(stream, work));
                }
                if (common.below(3) == 0 && !open.empty()) {
                    gpu.wait(open.back());
                    open.pop_back();
                }
            }
        };
        for (const double slowdown : {1.0, 1.7}) {
            ranks::LaunchOptions options = ranks(5, overlapping(slowdown));
            const ranks::Result here = ranks::launch(options, program);
            ASSERT_TRUE(here.ok()) << here.fault->message;
            options.host = ranks::Host::fiber;
            options.clock = ranks::Clock::wall;  // in order of time
            options.time_scale = 0;
            EXPECT_EQ(ranks::launch(options, program).timeline_sha256, here.timeline_sha256) << "seed " << seed;
            for (const RankTotals& totals : here.ranks) {
                EXPECT_EQ(totals.compute + totals.communication + totals.idle, here.end - Time{});
                EXPECT_GE(totals.idle, Duration{0});
            }
        }
    }
}

TEST_P(Streams, MemoryIsCountedAtItsPeak) {
    const Simulation s = simulate_well(ranks(2), [](GPU& gpu) {
        gpu.allocate("weights", Units{100});
        gpu.allocate("activations", Units{50.5});
        gpu.release("activations", Units{50.5});
        gpu.allocate("gradients", Units{gpu.rank() == 0 ? 20.0 : 60.0});
        gpu.allocate("buffer", Bytes{4096});
    });
    EXPECT_EQ(s.result.ranks[0].peak_billionths, 150'500'000'000);
    EXPECT_EQ(s.result.ranks[1].peak_billionths, 160'000'000'000);
    EXPECT_EQ(s.result.ranks[1].peak_bytes, 4096);
    EXPECT_EQ(s.end(), 0s);
    const Simulation wrong = simulate(ranks(1), [](GPU& gpu) { gpu.release("nothing", Units{1}); });
    EXPECT_THAT(wrong.result.fault->message,
                testing::HasSubstr("rank 0 frees at 0 s 1 unit more than it has allocated"));
}

TEST(RecordedStreams, GiveTheTimelineOfTheProgramItself) {
    const auto program = [](GPU& gpu) {
        const int n = gpu.world_size();
        for (int layer = 0; layer < 3; ++layer) {
            gpu.compute(Units{static_cast<double>(5 + gpu.rank())});
            gpu.on(first, [&] { all_reduce(gpu, world(gpu), Units{40}); });
            const Handle sent = gpu.on(second, [&] {
                gpu.compute(Units{3});
                gpu.send((gpu.rank() + 1) % n, Units{30});
                gpu.receive((gpu.rank() + n - 1) % n, Units{30});
            });
            gpu.wait(sent);
        }
    };
    const ranks::LaunchOptions options{.ranks = 5, .host = ranks::Host::fiber, .cluster = gpu_py()};
    const ranks::Result launched = ranks::launch(options, program);
    const replay::Replay replayed = replay::Recording(5, program).replay({.cluster = gpu_py()});
    ASSERT_TRUE(launched.ok());
    EXPECT_EQ(replayed.timeline_sha256, launched.timeline_sha256);
    EXPECT_EQ(replayed.end, launched.end);
}
