// Computing on streams: concurrent with the program and other streams, in order within a stream.
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/config/injection_text.hpp"
#include "libsim/report/text_timeline.hpp"
#include "tests/support/simulate.hpp"
#include "tests/support/star.hpp"

#include <algorithm>

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

class ComputeOnStreams : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, ComputeOnStreams, both_hosts(), host_name);

constexpr Stream first{1};
constexpr Stream second{2};
constexpr Stream third{3};

// The spans of one stream, in program order.
std::vector<KeptSpan> spans_on(const Simulation& run, int rank, Stream stream) {
    std::vector<KeptSpan> found;
    const auto& all = run.spans.at(static_cast<std::size_t>(rank));
    std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                 [&](const KeptSpan& span) { return span.stream == stream; });
    return found;
}

}  // namespace

// gpu-py: a unit of compute takes 0.1 s; a message takes 0.05 s + 0.01 s a unit, and 0.05 s to be received.
TEST_P(ComputeOnStreams, RunsBesideTheProgramAndCountsOnceWhatIsHidden) {
    const Simulation s = simulate_well(ranks(1), [](GPU& gpu) {
        gpu.start_on(first, [&] { gpu.compute("beside", Units{30}); });
        gpu.compute("program", Units{20});
    });
    EXPECT_EQ(s.end(), 3s);
    EXPECT_EQ(s.result.ranks[0].compute, 3s);
    EXPECT_EQ(s.result.ranks[0].communication, 0s);
    const KeptSpan beside = spans_on(s, 0, first).at(0);
    EXPECT_EQ(beside.kind, OpKind::compute);
    EXPECT_EQ(beside.label, "beside");
    EXPECT_EQ(beside.begin, 0s);
    EXPECT_EQ(beside.end, 3s);
}

TEST_P(ComputeOnStreams, IsInOrderOnOneStreamAndSideBySideOnTwo) {
    for (const auto& [other, end] : {std::pair{first, 3s}, std::pair{second, 2s}}) {
        const Simulation s = simulate_well(ranks(1), [other = other](GPU& gpu) {
            gpu.start_on(first, [&] { gpu.compute(Units{10}); });
            gpu.start_on(other, [&] { gpu.compute(Units{20}); });
        });
        EXPECT_EQ(s.end(), end);
    }
}

TEST_P(ComputeOnStreams, BeginsWhenItIsIssuedAndItsStreamHasComeThere) {
    const Simulation s = simulate_well(ranks(2), [](GPU& gpu) {
        gpu.compute(Units{50});
        gpu.issue_from(Duration{1s});
        gpu.start_on(first, [&] { gpu.compute(Units{10}); });  // 1 s to 2 s
        gpu.issue_from(std::nullopt);
        gpu.start_on(first, [&] {
            gpu.rank() == 0 ? gpu.send(1, Units{95}) : gpu.receive(0, Units{95});  // 5 s to 6 s, or to 6.05 s
            gpu.compute(Units{10});
        });
    });
    EXPECT_EQ(spans_on(s, 0, first).at(0).begin, 1s);
    EXPECT_EQ(spans_on(s, 0, first).at(2).begin, 6s);
    EXPECT_EQ(spans_on(s, 1, first).at(2).begin, 6050ms);
    EXPECT_EQ(s.end(), 7050ms);
}

TEST_P(ComputeOnStreams, CountsAsComputingWhereTheProgramWaitsForIt) {
    const Simulation s = simulate_well(ranks(2), [](GPU& gpu) {
        const Handle done = gpu.on(first, [&] {
            gpu.compute(Units{20});
            gpu.rank() == 0 ? gpu.send(1, Units{95}) : gpu.receive(0, Units{95});
        });
        gpu.compute(Units{5});
        gpu.wait(done);
        gpu.report("at", seconds(Time{gpu.now()}));
    });
    EXPECT_EQ(s.result.reports.at("at").at(0).front(), 3);
    EXPECT_EQ(s.result.ranks[0].compute, 2s);
    EXPECT_EQ(s.result.ranks[0].communication, 1s);
    EXPECT_EQ(s.result.ranks[0].idle, 50ms);  // until rank 1 has received the message
}

TEST_P(ComputeOnStreams, AStreamThatWaitsForAnotherComputesAndIdlesAsThatOneDoes) {
    // Rank 1 sends at 3 s. On rank 0, stream 1 computes for 2 s, is idle for 1 s, and receives the message in 1.05 s.
    const Simulation s = simulate_well(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 1) {
            gpu.compute(Units{30});
            return gpu.wait(gpu.on(first, [&] { gpu.send(0, Units{95}); }));
        }
        const Handle inner = gpu.on(first, [&] {
            gpu.compute(Units{20});
            gpu.receive(1, Units{95});
        });
        const Handle outer = gpu.on(second, [&] { gpu.wait(inner); });
        gpu.wait(outer);
    });
    EXPECT_EQ(s.result.ranks[0].compute, 2s);
    EXPECT_EQ(s.result.ranks[0].idle, 1s);
    EXPECT_EQ(s.result.ranks[0].communication, 1050ms);
}

TEST_P(ComputeOnStreams, ACollectiveBelowItIsHidden) {
    // Ring of 4 ranks, 500 units: 8.1 s.
    for (const bool waits : {true, false}) {
        const Simulation s = simulate_well(ranks(4), [waits](GPU& gpu) {
            gpu.start_on(second, [&] { all_reduce(gpu, world(gpu), Units{500}); });
            const Handle computed = gpu.on(third, [&] { gpu.compute(Units{100}); });
            if (waits) {
                gpu.wait(computed);
            }
        });
        EXPECT_EQ(s.end(), 10s);
        EXPECT_EQ(s.result.ranks[1].compute, 10s);
        EXPECT_EQ(s.result.ranks[1].communication, 0s);
    }
}

TEST_P(ComputeOnStreams, AtTheEndOfAProgramIdleTimeBelowItIsHiddenToo) {
    // Rank 0's stream 2 waits until rank 1 sends at 4 s, then receives until 5.05 s; stream 3 computes from 0 s to 4.5
    // s.
    const Simulation s = simulate_well(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 1) {
            gpu.compute(Units{40});
            gpu.start_on(second, [&] { gpu.send(0, Units{95}); });
            return;
        }
        gpu.start_on(second, [&] { gpu.receive(1, Units{95}); });
        gpu.start_on(third, [&] { gpu.compute(Units{45}); });
    });
    EXPECT_EQ(s.end(), 5050ms);
    EXPECT_EQ(s.result.ranks[0].compute, 4500ms);
    EXPECT_EQ(s.result.ranks[0].communication, 550ms);
    EXPECT_EQ(s.result.ranks[0].idle, 0s);
}

TEST_P(ComputeOnStreams, ARankComputesThereAsSlowlyAsElsewhere) {
    Cluster cluster = gpu_py();
    cluster.compute.slowdown = {1, 2};
    const auto program = [](GPU& gpu) { gpu.start_on(first, [&] { gpu.compute(Units{10}); }); };
    EXPECT_EQ(simulate_well(ranks(2, cluster), program).span(1, 0).end, 2s);
    ranks::LaunchOptions suffering = ranks(2);
    suffering.faults = {config::injection_of_text("fault", "slow rank 1 x2.5")};
    EXPECT_EQ(simulate_well(suffering, program).span(1, 0).end, 2500ms);
    EXPECT_EQ(simulate_well(suffering, program).span(0, 0).end, 1s);
}

TEST_P(ComputeOnStreams, MessagesDoNotMakeItLongerNorItTheProgram) {
    Cluster cluster = gpu_py();
    cluster.compute.overlap_slowdown = 2;
    const Simulation s = simulate_well(ranks(2, cluster), [](GPU& gpu) {
        gpu.start_on(third, [&] { gpu.compute(Units{50}); });  // concurrent with a message until 4 s
        if (gpu.rank() == 0) {
            gpu.start_on(first, [&] { gpu.send(1, Units{395}); });
        } else {
            gpu.start_on(first, [&] { gpu.receive(0, Units{395}); });
        }
        gpu.idle_until(Duration{5s});
        gpu.start_on(third, [&] { gpu.compute(Units{20}); });
        gpu.compute(Units{10});  // concurrent with a computation only
    });
    EXPECT_EQ(spans_on(s, 0, third).at(0).end, 5s);
    EXPECT_EQ(spans_on(s, 0, Stream::main).at(0).end, 6s);
    EXPECT_EQ(s.end(), 7s);
}

TEST_P(ComputeOnStreams, WhatFollowsOverSharedLinksBeginsWhenItHasEnded) {
    // 1 GB/s, 2 us to the receiver; a FLOP takes 1 ns. Rank 1 sends 3 MB at 0 s, rank 2's stream sends 1 MB at 1 ms:
    // from then on they share the link down to rank 0, until 2 us + 3 ms; 1 MB of the first message is left then.
    const Simulation s = simulate_well(ranks(3, star(3)), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            const Handle other = gpu.on(second, [&] { gpu.receive(2, 1_MB); });
            gpu.receive(1, 3_MB);
            return gpu.wait(other);
        }
        if (gpu.rank() == 1) {
            return gpu.send(0, 3_MB);
        }
        gpu.start_on(second, [&] {
            gpu.compute(Flops{1'000'000});
            gpu.send(0, 1_MB);
        });
    });
    EXPECT_EQ(spans_on(s, 2, second).at(1).begin, 1ms);
    EXPECT_EQ(spans_on(s, 2, second).at(1).end, 2us + 3ms);
    EXPECT_EQ(s.span(1, 0).end, 2us + 4ms);
}

TEST_P(ComputeOnStreams, ACollectiveOverSharedLinksFindsMessagesThatCameWhileItsStreamComputed) {
    // Rank 1's stream computes for 5 ms; rank 0's half of 2 MB arrives at 1.002 ms, rank 1's own half is sent from 5 ms
    // on. The second step sends another 1 MB each way: 1.002 ms.
    const Simulation s = simulate_well(ranks(2, star(2)), [](GPU& gpu) {
        gpu.start_on(first, [&] {
            gpu.compute(Flops{gpu.rank() * 5'000'000});
            all_reduce(gpu, world(gpu), 2_MB);
        });
    });
    EXPECT_EQ(s.end(), 5ms + 2 * 1002us);
    EXPECT_EQ(s.result.ranks[1].compute, 5ms);
}

TEST_P(ComputeOnStreams, WhatHasNoPriceIsToldWhereItIsIssued) {
    for (const bool is_busy : {false, true}) {
        const Simulation s = simulate(ranks(2), [is_busy](GPU& gpu) {
            if (is_busy) {
                gpu.start_on(first, [&] { gpu.receive(1 - gpu.rank(), Units{1}); });
            }
            gpu.compute(Units{10});
            gpu.start_on(first, [&] { gpu.compute(Flops{5}); });
        });
        ASSERT_FALSE(s.result.ok());
        EXPECT_EQ(s.result.exit_code(), 3);
        EXPECT_THAT(s.result.fault->message,
                    testing::HasSubstr("compute 5 FLOPs at 1 s: profile gpu-py has no price for FLOPs"));
    }
}

TEST_P(ComputeOnStreams, IsDrawnOnTheRowOfItsStream) {
    report::Timeline timeline{.ranks = 1};
    ranks::LaunchOptions options = ranks(1);
    options.on_span = [&](const Span& span) { timeline.add(span); };
    ASSERT_TRUE(ranks::launch(options, [](GPU& gpu) {
                    gpu.start_on(first, [&] { gpu.compute("copy", Units{10}); });
                    gpu.compute("layer", Units{20});
                }).ok());
    timeline.end = Time{2s};
    EXPECT_THAT(report::text_timeline(timeline, {.width = 40, .ascii = true}),
                testing::HasSubstr("rank 0           LCCCCCCCCCCCCCCCCCCCCCC\n"
                                   "rank 0 stream 1  CCCCCCCCCCCC\n"
                                   "C compute"));
}
