#include "libsim/network/routes.hpp"
#include "libsim/network/topologies/topologies.hpp"
#include "tests/support/topology_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr Wire wire{50 * GB_per_s, 1us};

std::vector<LinkId> route(const Topology& topology, int source, int target) {
    std::vector<LinkId> links;
    topology.append_route(source, target, links);
    return links;
}

std::string names(const Topology& topology, int source, int target) {
    std::vector<std::string> passed{topology.vertices[static_cast<std::size_t>(source)].name};
    for (const LinkId id : route(topology, source, target)) {
        passed.push_back(topology.vertices[static_cast<std::size_t>(topology.links[id].to)].name);
    }
    return fmt::format("{}", fmt::join(passed, " > "));
}

NodeTree nodes_of_two() {
    NodeTree options;
    options.node = {.gpus = 2, .link = {450 * GB_per_s, 300ns}, .nics = 2, .pcie = Wire{63 * GB_per_s, 700ns}};
    options.tree = {.wire = {50 * GB_per_s, 650ns}, .radix = 4};
    return options;
}

// The maximum number of routes over one link when every GPU sends to the one `shift` places further.
int most_on_a_link(const Topology& topology, int shift) {
    std::vector<int> uses(topology.links.size(), 0);
    int most = 0;
    for (int gpu = 0; gpu < topology.gpus; ++gpu) {
        for (const LinkId id : route(topology, gpu, (gpu + shift) % topology.gpus)) {
            most = std::max(most, ++uses[id]);
        }
    }
    return most;
}

TEST(Ring, GoesTheShorterWayRoundAndUpwardsWhereBothAreEqual) {
    const Topology topology = ring(6, wire);
    EXPECT_EQ(topology.links.size(), 12U);
    EXPECT_EQ(names(topology, 0, 2), "gpu 0 > gpu 1 > gpu 2");
    EXPECT_EQ(names(topology, 0, 4), "gpu 0 > gpu 5 > gpu 4");
    EXPECT_EQ(names(topology, 0, 3), "gpu 0 > gpu 1 > gpu 2 > gpu 3");
    EXPECT_EQ(names(topology, 5, 2), "gpu 5 > gpu 0 > gpu 1 > gpu 2");
}

TEST(Ring, OfTwoIsOneCable) {
    EXPECT_EQ(ring(2, wire).links.size(), 2U);
    EXPECT_EQ(ring(1, wire).links.size(), 0U);
}

TEST(Torus, GoesAlongXThenYThenZ) {
    const Topology topology = torus({4, 3, 2}, wire);
    EXPECT_EQ(topology.links.size(), 24U * 2 + 24U * 2 + 24U);  // two GPUs along z share one cable
    EXPECT_EQ(names(topology, 0, 23), "gpu 0 > gpu 3 > gpu 11 > gpu 23");
    EXPECT_EQ(topology.levels, (std::vector<int>{4, 12}));
}

TEST(Switch, IsTwoHopsFromAnyToAny) {
    const Topology topology = single_switch(5, wire);
    EXPECT_EQ(topology.links.size(), 10U);
    EXPECT_EQ(names(topology, 4, 1), "gpu 4 > switch > gpu 1");
}

TEST(FullyConnected, HasALinkOfItsOwnForEveryPair) {
    const Topology topology = fully_connected(7, wire);
    std::set<LinkId> used;
    for (int a = 0; a < 7; ++a) {
        for (int b = 0; b < 7; ++b) {
            if (a != b) {
                const std::vector<LinkId> links = route(topology, a, b);
                ASSERT_EQ(links.size(), 1U);
                used.insert(links[0]);
            }
        }
    }
    EXPECT_EQ(used.size(), 42U);
    EXPECT_EQ(topology.links.size(), 42U);
}

TEST(MultiDimensional, UsesEachDimensionsOwnLinksInTheirOrder) {
    const Topology topology = multi_dimensional({{DimensionKind::ring, 4, 100 * GB_per_s, 1us},
                                                 {DimensionKind::switched, 2, 50 * GB_per_s, 2us},
                                                 {DimensionKind::fully_connected, 3, 25 * GB_per_s, 3us},
                                                 {DimensionKind::line, 3, 10 * GB_per_s, 4us}});
    EXPECT_EQ(topology.gpus, 72);
    EXPECT_EQ(topology.links.size(), 72U * 2 + 72U * 2 + 72U * 2 + 24U * 2 * 2);
    EXPECT_EQ(names(topology, 0, 71), "gpu 0 > gpu 3 > switch 3 of dimension 1 > gpu 7 > gpu 23 > gpu 47 > gpu 71");
    test::validate(topology);
}

TEST(FatTree, OfTwoLevelsGoesOverTheSpineThatItsDestinationSays) {
    const Topology topology = fat_tree(8, {.wire = wire, .radix = 4});
    EXPECT_EQ(topology.vertices.size(), 8U + 4 + 2);
    EXPECT_EQ(topology.links.size(), 2U * (8 + 4 * 2));
    EXPECT_EQ(names(topology, 0, 1), "gpu 0 > leaf 0 > gpu 1");
    EXPECT_EQ(names(topology, 0, 6), "gpu 0 > leaf 0 > spine 0 > leaf 3 > gpu 6");
    EXPECT_EQ(names(topology, 0, 7), "gpu 0 > leaf 0 > spine 1 > leaf 3 > gpu 7");
}

TEST(FatTree, OfThreeLevelsClimbsNoHigherThanItMust) {
    const Topology topology = fat_tree(16, {.wire = wire, .radix = 4});
    EXPECT_EQ(topology.vertices.size(), 16U + 8 + 8 + 4);  // Al-Fares' k = 4: 16 hosts, 20 switches
    EXPECT_EQ(topology.links.size(), 2U * 48);
    EXPECT_EQ(names(topology, 0, 3), "gpu 0 > leaf 0 > pod 0 aggregation 1 > leaf 1 > gpu 3");
    EXPECT_EQ(names(topology, 0, 15),
              "gpu 0 > leaf 0 > pod 0 aggregation 1 > core 3 > pod 3 aggregation 1 > leaf 7 > gpu 15");
    EXPECT_EQ(topology.levels, (std::vector<int>{2, 4}));
}

TEST(FatTree, ThatIsFullLetsEveryShiftPassWithoutContention) {
    for (const Topology& topology : {fat_tree(32, {.wire = wire, .radix = 8}), fat_tree(16, {.wire = wire, .radix = 4}),
                                     fat_tree(128, {.wire = wire, .radix = 8})}) {
        for (int shift = 1; shift < topology.gpus; ++shift) {
            ASSERT_EQ(most_on_a_link(topology, shift), 1) << topology.gpus << " GPUs, shift " << shift;
        }
    }
}

TEST(FatTree, ThatIsTwoToOneOversubscribedPutsTwoFlowsOnAnUpCable) {
    const Topology topology = fat_tree(32, {.wire = wire, .radix = 8, .oversubscription = 2});
    EXPECT_EQ(topology.links.size(), 2U * (32 + 8 * 2));
    EXPECT_EQ(most_on_a_link(topology, 4), 2);
    EXPECT_EQ(topology.bisection->bytes_per_second, 8 * 50'000'000'000);
}

TEST(FatTree, ThatHashesLetsFlowsCollideTheSameWayEveryTime) {
    const FatTree hashed{.wire = wire, .radix = 16, .ecmp = Ecmp::hash, .seed = 7};
    const Topology topology = fat_tree(128, hashed);
    EXPECT_GT(most_on_a_link(topology, 8), 1);
    const Topology again = fat_tree(128, hashed);
    std::map<std::string, int> spines;
    for (int target = 8; target < 128; ++target) {
        EXPECT_EQ(route(topology, 0, target), route(again, 0, target));
        ++spines[topology.vertices[static_cast<std::size_t>(topology.links[route(topology, 0, target)[1]].to)].name];
    }
    EXPECT_EQ(spines.size(), 8U);
}

TEST(FatTree, SpreadsDestinationsOverAllSpinesEvenly) {
    const Topology topology = fat_tree(128, {.wire = wire, .radix = 16});
    std::map<LinkId, int> uses;
    for (int target = 8; target < 128; ++target) {
        ++uses[route(topology, 0, target)[1]];
    }
    EXPECT_EQ(uses.size(), 8U);
    for (const auto& [link, count] : uses) {
        EXPECT_EQ(count, 15) << link;
    }
}

TEST(NodesFatTree, GoThroughTheirCardsAndWithinANodeThroughItsSwitch) {
    const Topology topology = nodes_fat_tree(8, nodes_of_two());
    EXPECT_EQ(names(topology, 0, 1), "node 0 gpu 0 > node 0 switch > node 0 gpu 1");
    EXPECT_EQ(names(topology, 1, 7),
              "node 0 gpu 1 > node 0 nic 1 > leaf 0 > spine 1 > leaf 3 > node 3 nic 1 > node 3 gpu 1");
    EXPECT_EQ(topology.gpus_per_node(), 2);
}

TEST(NodesFatTree, WithoutPcieCarryBothKindsOfTrafficOnTheGpusOwnCable) {
    NodeTree options = nodes_of_two();
    options.node.pcie.reset();
    options.node.nics = 1;
    const Topology topology = nodes_fat_tree(4, options);
    EXPECT_EQ(names(topology, 1, 2),
              "node 0 gpu 1 > node 0 switch > node 0 nic 0 > leaf 0 > node 1 nic 0 > node 1 switch > "
              "node 1 gpu 0");
    EXPECT_EQ(route(topology, 1, 2).front(), route(topology, 1, 0).front());
}

TEST(RailOptimised, ChangesRailsWithinTheSendersNode) {
    const Topology topology = rail_optimised(8, nodes_of_two());  // 4 nodes; a leaf holds 2: 2 units of 2 rails
    EXPECT_EQ(names(topology, 0, 2), "node 0 gpu 0 > node 0 nic 0 > unit 0 rail 0 > node 1 nic 0 > node 1 gpu 0");
    EXPECT_EQ(
        names(topology, 0, 3),
        "node 0 gpu 0 > node 0 switch > node 0 gpu 1 > node 0 nic 1 > unit 0 rail 1 > node 1 nic 1 > node 1 gpu 1");
    EXPECT_EQ(names(topology, 0, 6),
              "node 0 gpu 0 > node 0 nic 0 > unit 0 rail 0 > spine 1 > unit 1 rail 0 > node 3 nic 0 "
              "> node 3 gpu 0");
    EXPECT_EQ(topology.levels, (std::vector<int>{2, 4}));
}

TEST(RailOptimised, LetsEveryShiftByWholeNodesPassWithoutContention) {
    const Topology topology = rail_optimised(32, [] {
        NodeTree options = nodes_of_two();
        options.tree.radix = 8;
        return options;
    }());
    for (int shift = 2; shift < 32; shift += 2) {
        EXPECT_EQ(most_on_a_link(topology, shift), 1) << shift;
    }
}

TEST(Dragonfly, TakesAtMostOneGlobalCable) {
    const Topology topology =
        dragonfly(72, {.gpus_per_router = 2, .routers_per_group = 4, .global_ports = 2, .wire = wire});
    EXPECT_EQ(topology.vertices.size(), 72U + 36);
    EXPECT_EQ(topology.links.size(), 2U * (72 + 9 * 6 + 36));  // 9 groups: one cable between each pair
    EXPECT_EQ(names(topology, 0, 1), "gpu 0 > group 0 router 0 > gpu 1");
    EXPECT_EQ(names(topology, 0, 7), "gpu 0 > group 0 router 0 > group 0 router 3 > gpu 7");
    EXPECT_EQ(names(topology, 0, 71),
              "gpu 0 > group 0 router 0 > group 0 router 3 > group 8 router 0 > group 8 router 3 > "
              "gpu 71");
}

TEST(Topologies, OfEveryNameLeadFromEveryGpuToEveryOtherOne) {
    for (const TopologyRow& named : named_topologies()) {
        for (const int gpus : {1, 2, 4, 8, 16, 64, 72, 128, 144, 256}) {
            std::optional<Topology> topology;
            try {
                topology = named_topology(named.name, gpus);
            } catch (const std::runtime_error&) {
                continue;  // the topology has no such size
            }
            EXPECT_EQ(topology->gpus, gpus);
            EXPECT_NO_THROW(test::validate(*topology)) << named.name << " " << gpus;
        }
    }
}

TEST(Topologies, HaveTheBisectionBandwidthOfTheirFormula) {
    FatTree thin{.wire = wire, .radix = 8, .oversubscription = 4};
    for (const Topology& topology :
         {ring(2, wire), ring(8, wire), fully_connected(6, wire), single_switch(8, wire), torus({4, 6}, wire),
          torus({2, 4, 8}, wire), fat_tree(16, {.wire = wire, .radix = 4}), fat_tree(32, thin),
          named_topology("dgx-h100", 8), named_topology("dgx-h100", 64), named_topology("aws-p4d", 32),
          named_topology("pcie-10gbe", 288), named_topology("tpu-v4", 16), named_topology("tpu-v5e", 64),
          named_topology("dragonfly", 8), named_topology("dragonfly", 64), named_topology("dragonfly", 1024),
          named_topology("dgx-h100-2to1", 512)}) {
        EXPECT_EQ(topology.bisection->bytes_per_second, bandwidth_between_halves(topology).bytes_per_second)
            << topology.name << " " << topology.gpus;
    }
}

}  // namespace
