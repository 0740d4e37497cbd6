// Every builder over all small parameters: each route leads to its target.
#include "libsim/error.hpp"
#include "libsim/network/topologies/topologies.hpp"
#include "tests/support/topology_rules.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr Wire wire{GB_per_s, 1us};

TEST(TopologySweep, EveryCombinationOfThreeDimensionsIsConnected) {
    for (int kinds = 0; kinds < 64; ++kinds) {
        for (int sizes = 0; sizes < 64; ++sizes) {
            std::vector<Dimension> dimensions;
            for (const int digit : {1, 4, 16}) {
                dimensions.push_back(
                    {static_cast<DimensionKind>(kinds / digit % 4), sizes / digit % 4 + 1, GB_per_s, 1us});
            }
            ASSERT_NO_THROW(test::validate(multi_dimensional(dimensions))) << kinds << " " << sizes;
        }
    }
}

// Builds all trees that fit; returns their number, so that a sweep that builds none is noticed.
int connected_trees(int rails) {
    int built = 0;
    for (const int radix : {2, 4, 6, 8}) {
        for (const int levels : {0, 1, 2, 3}) {
            for (const int oversubscription : {1, 2, 3}) {
                for (int nodes = 1; nodes <= 20; ++nodes) {
                    NodeTree options{.rails = rails};
                    options.node = {.gpus = 4, .link = wire, .nics = 2};
                    options.tree = {
                        .wire = wire, .radix = radix, .oversubscription = oversubscription, .levels = levels};
                    options.node.pcie = nodes % 2 == 0 ? std::optional(wire) : std::nullopt;
                    std::optional<Topology> topology;
                    try {
                        topology = nodes_fat_tree(4 * nodes, options);
                    } catch (const ProgramError&) {
                        continue;  // too many for these switches
                    }
                    ++built;
                    EXPECT_NO_THROW(test::validate(*topology)) << radix << " " << levels << " " << nodes;
                }
            }
        }
    }
    return built;
}

TEST(TopologySweep, EveryFatTreeOfNodesIsConnected) {
    EXPECT_GT(connected_trees(1), 250);
}

TEST(TopologySweep, EveryTreeOfRailsIsConnected) {
    EXPECT_GT(connected_trees(2), 250);
}

TEST(TopologySweep, EveryDragonflyIsConnected) {
    for (int per_router = 1; per_router <= 3; ++per_router) {
        for (int routers = 1; routers <= 4; ++routers) {
            for (int ports = 1; ports <= 3; ++ports) {
                for (int groups = 1; groups <= routers * ports + 1; ++groups) {
                    const Topology topology = dragonfly(per_router * routers * groups, {.gpus_per_router = per_router,
                                                                                        .routers_per_group = routers,
                                                                                        .global_ports = ports,
                                                                                        .wire = wire});
                    const std::string what = fmt::format("{} {} {} {}", per_router, routers, ports, groups);
                    ASSERT_NO_THROW(test::validate(topology)) << what;
                }
            }
        }
    }
}

}  // namespace
