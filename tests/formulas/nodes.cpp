// Nodes: one network within a node, another between nodes.
#include "libsim/collectives/all_gather.hpp"
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/broadcast.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulate.hpp"

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

class NodesOf : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, NodesOf, both_hosts(), host_name);

// Within: 1 ms + 1 ms per unit, acknowledged in 2 ms; across: 50 ms + 10 ms per unit, acknowledged in 5 ms.
Cluster nodes(int ranks_per_node) {
    Cluster cluster = gpu_py();
    cluster.network = Nodes{
        .ranks_per_node = ranks_per_node,
        .within = {.latency = 1ms, .acknowledgement = 2ms, .per_byte = {}, .per_billionth_unit = pace_of_unit(0.001)},
        .across = {.latency = 50ms, .acknowledgement = 5ms, .per_byte = {}, .per_billionth_unit = pace_of_unit(0.01)}};
    return cluster;
}

}  // namespace

TEST_P(NodesOf, TwoRanksPriceAMessageByWhetherItLeavesTheNode) {
    const Simulation s = simulate_well(ranks(4, nodes(2)), [](GPU& gpu) {
        if (gpu.rank() == 1) {
            gpu.send(0, Units{100});
            gpu.send(2, Units{100});
        } else if (gpu.rank() < 3) {
            gpu.receive(1, Units{100});
        }
    });
    EXPECT_EQ(s.span(0, 0).end, 101ms + 2ms);
    EXPECT_EQ(s.span(1, 1).end, 101ms + 1050ms);
    EXPECT_EQ(s.span(2, 0).end, 101ms + 1050ms + 5ms);
}

TEST_P(NodesOf, ARingIsAsOneOpAsSlowAsItsMessages) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Random random(seed);
        const int n = 2 + random.below(7);
        const ranks::LaunchOptions options = ranks(n, nodes(1 + random.below(4)));
        std::vector<double> late;
        for (int rank = 0; rank < n; ++rank) {
            late.push_back(random.below(20));
        }
        const auto run = [&](bool as_messages) {
            return simulate_well(options, [&](GPU& gpu) {
                gpu.compute(Units{late[static_cast<std::size_t>(gpu.rank())]});
                if (as_messages) {
                    std::vector<double> data(16);
                    all_reduce(gpu, world(gpu), data, Units{64});
                    broadcast(gpu, world(gpu), 1, data, Units{64});
                    all_gather(gpu, world(gpu), data, Units{64});
                } else {
                    all_reduce(gpu, world(gpu), Units{64});
                    broadcast(gpu, world(gpu), 1, Units{64});
                    all_gather(gpu, world(gpu), Units{64});
                }
            });
        };
        const Simulation messages = run(true);
        const Simulation one_op = run(false);
        for (std::size_t rank = 0; rank < messages.result.ranks.size(); ++rank) {
            ASSERT_EQ(one_op.result.ranks[rank].end, messages.result.ranks[rank].end)
                << "seed " << seed << " rank " << rank;
        }
    }
}

// Within a node 2 us + 1 MB / 200 GB/s = 7 us; between nodes 5 us + 1 MB / 50 GB/s = 25 us, acknowledged in 3 us.
TEST_P(NodesOf, TwoLinksArePricedInBytesAndComputeInFlops) {
    const Cluster cluster = sim::nodes({.ranks_per_node = 2,
                                        .within = {.latency = 2us, .bandwidth = 200 * GB_per_s},
                                        .across = {.latency = 5us, .bandwidth = 50 * GB_per_s, .acknowledgement = 3us},
                                        .flops = 100 * TFLOP_per_s});
    const Simulation s = simulate_well(ranks(3, cluster), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.compute(1_GFLOP);
            gpu.send(1, 1_MB);
            gpu.send(2, 1_MB);
        } else {
            gpu.receive(0, 1_MB);
        }
    });
    EXPECT_EQ(s.span(0, 0).end, 10us);
    EXPECT_EQ(s.span(1, 0).end, 10us + 7us);
    EXPECT_EQ(s.span(2, 0).end, 10us + 7us + 25us + 3us);
}
