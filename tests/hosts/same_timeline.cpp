// The same program has the same timeline on every host, in every run.
#include "libsim/collectives/all_gather.hpp"
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/broadcast.hpp"
#include "libsim/replay/recording.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulate.hpp"

#include <unistd.h>

#include <algorithm>

namespace {

using namespace sim;
using namespace sim::replay;
using namespace sim::test;

// All ranks to their right on one stream, and from their left: by size, as a collective, or as one with data.
Handle exchange_on(GPU& gpu, Stream stream, int form, std::vector<double>& data, Size size) {
    const int n = gpu.world_size();
    return gpu.on(stream, [&] {
        switch (form) {
            case 0:
                gpu.send((gpu.rank() + 1) % n, "on a stream", size);
                gpu.receive((gpu.rank() + n - 1) % n, "on a stream", size);
                break;
            case 1: all_reduce(gpu, world(gpu), size); break;
            default: all_reduce(gpu, world(gpu), data, size); break;
        }
    });
}

// Everything at once: uneven compute, messages with and without data, asynchronous ones, collectives, streams, memory,
// observations. Ranks also dawdle in wall time, which must not show.
void mixed_program(GPU& gpu, std::uint64_t seed) {
    Random shared(seed);  // the same on all ranks
    Random own(seed * 1000 + static_cast<std::uint64_t>(gpu.rank()));
    const int n = gpu.world_size();
    std::vector<double> data(static_cast<std::size_t>(shared.below(50)), gpu.rank());
    std::vector<Handle> unjoined;
    for (int round = 0; round < 8; ++round) {
        gpu.compute("work", Units(own.below(20)));
        gpu.allocate("round", Units(own.below(9)));
        if (own.below(4) == 0) {
            usleep(static_cast<useconds_t>(own.below(300)));
        }
        const int distance = n > 1 ? 1 + shared.below(n - 1) : 0;
        const int to = (gpu.rank() + distance) % n;
        const int from = (gpu.rank() - distance + n) % n;
        const Size size = Units(shared.below(100));
        switch (n > 1 ? shared.below(9) : 8) {
            case 0:
                gpu.send(to, "plain", size, Tag{round});
                gpu.receive(from, "plain", size, Tag{round});
                break;
            case 1: {
                const Handle receiving = gpu.receive_async(from, "overlapped", size);
                gpu.send_async(to, "overlapped", size);
                gpu.compute("meanwhile", Units(own.below(10)));
                gpu.wait(receiving);
                break;
            }
            case 2:
                gpu.send(to, std::span<const double>(data), "data", size);
                gpu.receive(from, std::span(data), "data", size);
                break;
            case 3: all_reduce(gpu, world(gpu), data, size); break;
            case 4: broadcast(gpu, world(gpu), shared.below(n), size); break;
            case 5:
            case 6:
            case 7: {
                const Stream stream{static_cast<std::uint8_t>(1 + shared.below(3))};
                unjoined.push_back(exchange_on(gpu, stream, shared.below(3), data, size));
                break;
            }
            default: gpu.barrier(); break;
        }
        if (!unjoined.empty() && own.below(2) == 0) {
            gpu.wait(unjoined.back());
            unjoined.pop_back();
        }
        if (own.below(3) == 0) {
            gpu.log("now " + std::to_string(gpu.now().count()));
        }
    }
    gpu.report("data", data);
}

// The order of a rank's spans is nobody's promise where they are on different streams.
Simulation run(ranks::Host host, int ranks, std::uint64_t seed, double overlap_slowdown = 1) {
    Cluster cluster = gpu_py();
    cluster.compute.overlap_slowdown = overlap_slowdown;
    Simulation simulation = simulate_well({.ranks = ranks, .host = host, .cluster = cluster},
                                          [seed](GPU& gpu) { mixed_program(gpu, seed); });
    for (std::vector<KeptSpan>& spans : simulation.spans) {
        std::stable_sort(spans.begin(), spans.end(),
                         [](const KeptSpan& a, const KeptSpan& b) { return a.stream < b.stream; });
    }
    return simulation;
}

TEST(SameTimeline, OfRandomProgramsOnBothHostsForEveryNumberOfRanks) {
    for (int ranks = 1; ranks <= 16; ++ranks) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const double slowdown = seed % 2 == 0 ? 1.25 : 1;
            const Simulation processes = run(ranks::Host::process, ranks, seed, slowdown);
            const Simulation fibers = run(ranks::Host::fiber, ranks, seed, slowdown);
            ASSERT_EQ(processes.spans, fibers.spans) << ranks << " ranks, seed " << seed;
            ASSERT_EQ(processes.result.timeline_sha256, fibers.result.timeline_sha256);
            ASSERT_EQ(processes.result.reports, fibers.result.reports);
            ASSERT_EQ(processes.result.messages, fibers.result.messages);
        }
    }
}

void ring(GPU& gpu) {
    gpu.compute("work", Units(gpu.rank() % 3));
    carry_out(gpu, world(gpu), schedule_of(CollectiveKind::all_reduce, Algorithm::ring, gpu.world_size(), 0),
              Units(500), "ring");
    all_reduce(gpu, Group::strided(gpu.rank() % 2, 2, gpu.world_size() / 2), Units(10));
}

TEST(SameTimeline, OfARecordedRunAndOfItsReplay) {
    for (const ranks::Host host : {ranks::Host::process, ranks::Host::fiber}) {
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            Cluster cluster = gpu_py();
            cluster.compute.overlap_slowdown = seed % 2 == 0 ? 1.25 : 1;
            const auto result = ranks::launch({.ranks = 7, .host = host, .cluster = cluster, .record = true},
                                              [seed](GPU& gpu) { mixed_program(gpu, seed); });
            ASSERT_TRUE(result.ok()) << result.fault->message;
            const replay::Replay replayed = result.recording->replay({.cluster = cluster});
            EXPECT_EQ(replayed.timeline_sha256, result.timeline_sha256) << "seed " << seed;
            EXPECT_EQ(replayed.ops, result.ops);
        }
    }
}

TEST(SameTimeline, IsRecordedOnlyOnRequestAndOfARunThatEndsWell) {
    const ranks::Program stuck = [](GPU& gpu) { gpu.receive(1 - gpu.rank(), Units(1)); };
    for (const ranks::Host host : {ranks::Host::process, ranks::Host::fiber}) {
        EXPECT_EQ(ranks::launch({.ranks = 2, .host = host}, ring).recording, nullptr);
        EXPECT_EQ(ranks::launch({.ranks = 2, .host = host, .record = true}, stuck).recording, nullptr);
    }
}

TEST(SameTimeline, InAHundredRunsAsProcesses) {
    const std::string first = run(ranks::Host::process, 8, 42).result.timeline_sha256;
    for (int i = 0; i < 100; ++i) {
        ASSERT_EQ(run(ranks::Host::process, 8, 42).result.timeline_sha256, first) << "run " << i;
    }
}

TEST(SameTimeline, InVirtualAndInWallTime) {
    for (const ranks::Host host : {ranks::Host::process, ranks::Host::fiber}) {
        const ranks::Program program = [](GPU& gpu) { mixed_program(gpu, 7); };
        const auto wall =
            ranks::launch({.ranks = 4, .host = host, .clock = ranks::Clock::wall, .time_scale = 1e-3}, program);
        ASSERT_TRUE(wall.ok()) << wall.fault->message;
        EXPECT_EQ(wall.timeline_sha256, run(host, 4, 7).result.timeline_sha256);
        EXPECT_GE(wall.wall_seconds, seconds(wall.end) * 1e-3) << "ranks really waited";
    }
}

TEST(SameTimeline, OfARecordingAndOfTheProgramItself) {
    const ranks::LaunchOptions options{.ranks = 12, .host = ranks::Host::fiber};
    const replay::Recording recording(12, ring);
    const replay::Replay replayed = recording.replay();
    EXPECT_EQ(replayed.timeline_sha256, ranks::launch(options, ring).timeline_sha256);
    EXPECT_EQ(recording.replay().timeline_sha256, replayed.timeline_sha256) << "a second replay";
}

TEST(Recording, KeepsOneStreamForRanksThatDoTheSameToTheirNeighbours) {
    const auto plain_ring = [](GPU& gpu) {
        carry_out(gpu, world(gpu), schedule_of(CollectiveKind::all_gather, Algorithm::ring, gpu.world_size(), 0),
                  Units(1), "");
    };
    EXPECT_EQ(replay::Recording(64, plain_ring).distinct(), 1U);
    EXPECT_EQ(replay::Recording(12, ring).distinct(), 6U);  // three amounts of work, two groups
}

TEST(Recording, RefusesAProgramThatObserves) {
    EXPECT_THROW(replay::Recording(2, [](GPU& gpu) { gpu.now(); }), std::exception);
    EXPECT_THROW(replay::Recording(2, [](GPU& gpu) { gpu.send(1 - gpu.rank(), std::vector<int>{1}); }), std::exception);
}

}  // namespace
