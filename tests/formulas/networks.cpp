// The example in docs/network.md: two asynchronous messages from one rank to another, on every kind of network.
#include "libsim/network/topologies/topologies.hpp"
#include "tests/support/simulate.hpp"

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

// 100 us and 1 GB/s, in the terms of each kind of network.
Cluster uniform_network() {
    return uniform({.latency = 100us, .bandwidth = GB_per_s});
}

Cluster loggp_network() {
    Cluster cluster = uniform({});
    cluster.network = LogGP{.latency = 100us, .gap_per_byte = {1000, 1}};
    return cluster;
}

Cluster shared_links() {
    Cluster cluster = uniform({});
    const Topology two = single_switch(2, {.bandwidth = GB_per_s, .latency = 50us});
    cluster.network = FairShare{std::make_shared<const Topology>(two)};
    return cluster;
}

class OneAndTwoMegabytesAtOnce : public OnBothHosts {
protected:
    // Times when the receiver has the first message, when it has both, and when the sender is done.
    static std::vector<Duration> on(const Cluster& cluster) {
        const Simulation s = simulate_well(ranks(2, cluster), [](GPU& gpu) {
            if (gpu.rank() == 0) {
                const Handle first = gpu.send_async(1, 1_MB);
                const Handle second = gpu.send_async(1, 2_MB);
                gpu.wait(first);
                gpu.wait(second);
                return;
            }
            gpu.receive(0, 1_MB);
            gpu.receive(0, 2_MB);
        });
        return {s.span(1, 0).end, s.span(1, 1).end, s.result.ranks[0].end.time_since_epoch()};
    }
};
INSTANTIATE_TEST_SUITE_P(Hosts, OneAndTwoMegabytesAtOnce, both_hosts(), host_name);

}  // namespace

TEST_P(OneAndTwoMegabytesAtOnce, LeaveOneAfterAnotherOnAUniformNetwork) {
    EXPECT_EQ(on(uniform_network()), (std::vector<Duration>{1100us, 3200us, 3200us}));
}

TEST_P(OneAndTwoMegabytesAtOnce, FollowEachOtherThroughTheCardsOfALogGPNetworkWhichHoldTheSenderUntilTheLastBegins) {
    EXPECT_EQ(on(loggp_network()), (std::vector<Duration>{1100us - 1ns, 3100us - 2ns, 1000us - 1ns}));
}

TEST_P(OneAndTwoMegabytesAtOnce, DrainSideBySideOverSharedLinks) {
    EXPECT_EQ(on(shared_links()), (std::vector<Duration>{2100us, 3100us, 3100us}));
}
