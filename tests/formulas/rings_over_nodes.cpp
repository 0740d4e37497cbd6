// Rings whose channels leave a node through different NICs, on nodes with one NIC per GPU.
#include "libsim/collectives/data_reader.hpp"
#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/collectives/time/fastest_algorithm.hpp"
#include "libsim/network/routes.hpp"
#include "libsim/network/topologies/topologies.hpp"
#include "tests/support/simulate.hpp"

#include <numeric>

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

constexpr AlgorithmConfig eight_rails{Algorithm::ring, {.channels = 8, .inner = 8}};

Cluster dgx_h100(int gpus) {
    Cluster cluster = uniform({.flops = FlopRate{1'000'000'000'000}});
    cluster.network = FairShare{std::make_shared<const Topology>(named_topology("dgx-h100", gpus))};
    return cluster;
}

std::vector<int> first_ranks(int count) {
    std::vector<int> ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

CollectiveTime time_of(const Cluster& cluster, CollectiveKind kind, const AlgorithmConfig& config, int members,
                       Bytes size, bool only_last = false) {
    const Schedule schedule = schedule_of(kind, config, members, 0);
    const std::vector<int> ranks = first_ranks(members);
    return collective_time({cluster, schedule, size, ranks, {}, only_last});
}

std::vector<Time> message_by_message(const Cluster& cluster, CollectiveKind kind, int members, Bytes size) {
    std::vector<Time> ends(static_cast<std::size_t>(members));
    simulate_well({.ranks = members, .host = ranks::Host::fiber, .cluster = cluster}, [&](GPU& gpu) {
        execute(gpu, world(gpu), schedule_of(kind, eight_rails, members, 0), size, "test");
        ends[static_cast<std::size_t>(gpu.rank())] = Time{gpu.now()};
    });
    return ends;
}

}  // namespace

TEST(RingsOverNodes, UseEveryCardForOneMessageOutAndOneInAtATime) {
    const Topology topology = named_topology("dgx-h100", 64);
    const Schedule schedule = schedule_of(CollectiveKind::all_reduce, eight_rails, 64, 0);
    std::vector<int> used(topology.links.size());
    for (int channel = 0; channel < 8; ++channel) {
        for (int member = 0; member < 64; ++member) {
            std::vector<LinkId> route;
            topology.append_route(member, schedule.step(channel, member, 0).to, route);
            for (const LinkId link : route) {
                ++used[link];
            }
        }
    }
    int cards = 0;
    for (std::size_t id = 0; id < used.size(); ++id) {
        const auto kind = [&](int vertex) { return topology.vertices[static_cast<std::size_t>(vertex)].kind; };
        const VertexKind from = kind(topology.links[id].from);
        const VertexKind to = kind(topology.links[id].to);
        if (from == VertexKind::nic || to == VertexKind::nic) {
            EXPECT_EQ(used[id], 1);
            ++cards;
        } else if (from == VertexKind::node_switch || to == VertexKind::node_switch) {
            EXPECT_EQ(used[id], 7);
        }
    }
    EXPECT_EQ(cards, 64 * 4);  // to the NIC and from it, on both sides
}

TEST(RingsOverNodes, HaveTheBandwidthOfAllCardsTogether) {
    const Cluster cluster = dgx_h100(64);
    // 126 steps of 10 MB on each channel, all bound by the rails: 2.7 us and 50 GB/s.
    const CollectiveTime rails = time_of(cluster, CollectiveKind::all_reduce, eight_rails, 64, Bytes{5'120'000'000});
    EXPECT_EQ(rails.way, Way::closed_form);
    EXPECT_EQ(rails.ends, std::vector<Time>(64, Time{126 * 202'700ns}));
    EXPECT_EQ(rails.messages, 126 * 64 * 8);
    // A ring of one channel changes rails on its way to the next node: 600 ns more.
    const CollectiveTime one =
        time_of(cluster, CollectiveKind::all_reduce, Algorithm::ring, 64, Bytes{5'120'000'000}, true);
    EXPECT_EQ(one.end(), Time{126 * 1'603'300ns});
}

TEST(RingsOverNodes, AreBoundedAsTheMessagesEndAlthoughTheyShareTheNodesSwitch) {
    constexpr CollectiveKind kinds[] = {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                        CollectiveKind::reduce_scatter};
    for (const int members : {16, 24}) {
        const Cluster cluster = dgx_h100(members);
        for (const CollectiveKind kind : kinds) {
            for (const int size : {1, 100'000, 30'000'000}) {
                const CollectiveTime time = time_of(cluster, kind, eight_rails, members, Bytes{size});
                EXPECT_EQ(time.way, Way::closed_form) << members << " " << size;
                EXPECT_EQ(time.ends, message_by_message(cluster, kind, members, Bytes{size})) << members << " " << size;
            }
        }
    }
}

TEST(RingsOverNodes, WhoseRailsDifferAreFoundByTheirLastEnd) {
    const Cluster cluster = dgx_h100(264);  // 33 nodes: a unit of 32 and one more, across spines
    constexpr Bytes size{264 * 8 * 1'000'000LL};
    const CollectiveTime time = time_of(cluster, CollectiveKind::all_gather, eight_rails, 264, size, true);
    EXPECT_EQ(time.way, Way::closed_form);
    EXPECT_EQ(time.end(), Time{263 * 23'200ns});  // 500 ns for the spine
    const Schedule schedule = schedule_of(CollectiveKind::all_gather, eight_rails, 264, 0);
    const std::vector<int> ranks = first_ranks(264);
    EXPECT_FALSE(collective_time_by(Way::closed_form, {cluster, schedule, size, ranks}));
}

TEST(HasRails, WhereEveryGpuOfANodeHasACardAndNotWhereTheyShareOne) {
    EXPECT_TRUE(has_rails(named_topology("dgx-h100", 64)));
    EXPECT_FALSE(has_rails(named_topology("dgx-h100", 8)));
    EXPECT_FALSE(has_rails(named_topology("aws-p4d", 64)));
    EXPECT_FALSE(has_rails(named_topology("pcie-10gbe", 64)));
}

TEST(RingsOverNodes, AreWhatAFewNodesReduceMuchDataBy) {
    const Cluster cluster = dgx_h100(64);
    const std::vector<int> ranks = first_ranks(64);
    const std::vector<AlgorithmConfig> configs = candidate_algorithms(CollectiveKind::all_reduce, 64, 8, Wiring::rails);
    const Comparison contest =
        fastest_algorithm({cluster, CollectiveKind::all_reduce, Bytes{1LL << 30U}, ranks}, configs);
    EXPECT_EQ(contest.winner().config, eight_rails);
}
