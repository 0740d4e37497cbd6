// Computations with a given duration.
#include "libsim/replay/recording.hpp"
#include "tests/support/simulate.hpp"

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

class ComputeFor : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, ComputeFor, both_hosts(), host_name);

// Computes on the program for a given duration, then again while an asynchronous computation of its own runs.
void compute_for_a_while(GPU& gpu) {
    gpu.compute("forward", 3ms);
    const Handle beside = gpu.compute_async("backward", 7us);
    gpu.compute(Duration{1});
    gpu.wait(beside);
}

}  // namespace

TEST_P(ComputeFor, TakesThatTimeOnAnyCluster) {
    for (const Cluster& cluster : {gpu_py(), uniform({})}) {
        const Simulation s = simulate_well(ranks(1, cluster), compute_for_a_while);
        EXPECT_EQ(s.span(0, 0).end, 3ms);
        EXPECT_EQ(s.result.end, Time{3ms + 7us + Duration{1}});
        EXPECT_EQ(s.result.ranks[0].compute, 3ms + 7us + Duration{1});
    }
}

TEST_P(ComputeFor, TakesSoMuchLongerOnASlowRank) {
    Cluster cluster = gpu_py();
    cluster.compute.slowdown = {1.0, 2.5};
    ranks::LaunchOptions options = ranks(2, cluster);
    EXPECT_EQ(ranks::launch(options, [](GPU& gpu) { gpu.compute(3ms); }).end, Time{7500us});
    options.faults = {faults::SlowRank{.rank = 1, .factor = 2}};
    EXPECT_EQ(ranks::launch(options, [](GPU& gpu) { gpu.compute(3ms); }).end, Time{15ms});
}

TEST_P(ComputeFor, TakesTheSameTimeInAReplay) {
    const Simulation s = simulate_well(ranks(2), compute_for_a_while);
    const replay::Recording recording(2, compute_for_a_while);
    EXPECT_EQ(recording.replay({.cluster = gpu_py()}).timeline_sha256, s.result.timeline_sha256);
}
