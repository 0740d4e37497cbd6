// The same program has the same timeline on every host and in every run.
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/replay/recording.hpp"
#include "tests/support/mixed_program.hpp"
#include "tests/support/simulate.hpp"
#include "tests/support/soak.hpp"

#include <algorithm>

namespace {

using namespace sim;
using namespace sim::replay;
using namespace sim::test;

// The order of a rank's spans on different streams is not specified, so spans are sorted by stream.
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
        for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(times(5, 600)); ++seed) {
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
    execute(gpu, world(gpu), schedule_of(CollectiveKind::all_reduce, Algorithm::ring, gpu.world_size(), 0), Units(500),
            "ring");
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

TEST(SameTimeline, InAHundredRunsOnBothHosts) {
    const std::string first = run(ranks::Host::process, 8, 42).result.timeline_sha256;
    for (int i = 0; i < times(100, 1'000); ++i) {
        ASSERT_EQ(run(i % 2 == 0 ? ranks::Host::process : ranks::Host::fiber, 8, 42).result.timeline_sha256, first)
            << "run " << i;
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
        execute(gpu, world(gpu), schedule_of(CollectiveKind::all_gather, Algorithm::ring, gpu.world_size(), 0),
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
