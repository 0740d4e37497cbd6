#include "libsim/error.hpp"
#include "libsim/network/topologies/topologies.hpp"
#include "tests/support/topology_rules.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr Wire wire{50 * GB_per_s, 1us};

template <class Build>
std::string complaint(Build build) {
    try {
        build();
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "none";
}

std::string named(const std::string& name, int gpus) {
    return complaint([&] { named_topology(name, gpus); });
}

TEST(TopologyErrors, NameWhatTheWireOrTheNumberLacks) {
    EXPECT_EQ(complaint([] { ring(4, {}); }), "a ring of GPUs: the bandwidth must be above 0, not 0 bytes/s");
    EXPECT_EQ(complaint([] {
                  ring(4, {GB_per_s, Duration{-1}});
              }),
              "a ring of GPUs: the latency must be 0 or more, not -1 ps");
    EXPECT_EQ(complaint([] { ring(0, wire); }), "a ring of GPUs: at least 1 GPU is needed, not 0");
    EXPECT_EQ(complaint([] { torus({4, 0}, wire); }), "dimension 1: at least 1 GPU is needed, not 0");
    EXPECT_EQ(complaint([] { multi_dimensional({}); }),
              "a multi-dimensional topology: at least one dimension is needed");
    EXPECT_EQ(complaint([] { fully_connected(10'000, wire); }),
              "10000 fully connected GPUs: it would have 99990000 links; at most 33554432 can be built");
}

TEST(TopologyErrors, OfFatTreesSayHowManyFit) {
    EXPECT_EQ(complaint([] { fat_tree(9, {.wire = wire, .radix = 4, .levels = 2}); }),
              "a fat tree: 2 levels of switches with 4 ports, 2 of a leaf's down, have room for 8, not 9");
    EXPECT_EQ(complaint([] { fat_tree(17, {.wire = wire, .radix = 4}); }),
              "a fat tree: 3 levels of switches with 4 ports, 2 of a leaf's down, have room for 16, not 17");
    EXPECT_EQ(complaint([] { fat_tree(8, {.wire = wire, .radix = 5}); }),
              "a fat tree: the radix must be even, from 2 to 4096, not 5");
    EXPECT_EQ(complaint([] { fat_tree(8, {.wire = wire, .radix = 8, .oversubscription = 3}); }),
              "a fat tree: the oversubscription must divide the 4 ports of a leaf that lead down, not 3");
    EXPECT_EQ(complaint([] { fat_tree(64, {.wire = wire, .radix = 8, .down_ports = 6}); }),
              "a fat tree: a leaf with 6 ports down and 6 up needs more than 8");
}

TEST(TopologyErrors, SayWhichNumbersOfGpusAreNearest) {
    EXPECT_EQ(named("dgx-h100", 12), "12 GPUs is not a whole number of 8-GPU nodes; try 8 or 16");
    EXPECT_EQ(named("tpu-v4", 72), "a slice of TPU v4 has no 72 chips; the nearest that it has: 64 and 128");
    EXPECT_EQ(named("tpu-v5e", 512), "a slice of TPU v5e has no 512 chips; the nearest that it has: 256");
    EXPECT_EQ(named("torus-2d", 13), "a 2D torus of 13 GPUs does not come out even; the nearest that do: 12 and 14");
    EXPECT_EQ(named("dragonfly", 12),
              "a balanced dragonfly of 12 GPUs does not come out even; the nearest that do: 8 and 16");
    EXPECT_EQ(named("dgx-a100", 20'000),
              "the fat tree above the nodes: 3 levels of switches with 40 ports, 20 of a leaf's down, have room for "
              "12800, not 20000");
    EXPECT_EQ(complaint([] {
                  dragonfly(12, {.gpus_per_router = 1, .routers_per_group = 2, .global_ports = 1, .wire = wire});
              }),
              "a dragonfly: the 2 global ports of a group connect 3 groups, 6 GPUs, not 12");
}

TEST(TopologyErrors, OfNamesOfferTheNearest) {
    EXPECT_TRUE(named("dgx-h10", 8).starts_with("no topology is called \"dgx-h10\"; there are dgx-h100, "));
    EXPECT_TRUE(named("dgx-h10", 8).ends_with("; did you mean dgx-h100?"));
}

// A line of three vertices, a - s - b, which each test modifies.
CustomTopology line_of_three() {
    return {.vertices = {{"a", VertexKind::gpu}, {"s", VertexKind::network_switch}, {"b", VertexKind::gpu}},
            .links = {{"a", "s", wire}, {"s", "b", wire}}};
}
std::string custom_complaint(void (*change)(CustomTopology&)) {
    CustomTopology options = line_of_three();
    change(options);
    return complaint([&] { custom(options); });
}

TEST(CustomTopology, PutsTheGpusFirstInTheirOrder) {
    const Topology topology = custom(line_of_three());
    EXPECT_EQ(topology.gpus, 2);
    EXPECT_EQ(topology.vertices[1].name, "b");
    EXPECT_NO_THROW(test::validate(topology));
}

TEST(CustomTopology, TakesTheRoutesOfTheFatTreeThatItDescribes) {
    const Topology tree = fat_tree(128, {.wire = wire, .radix = 8, .levels = 3});
    CustomTopology options{.vertices = tree.vertices};
    for (std::size_t id = 0; id < tree.links.size(); id += 2) {
        const Link& link = tree.links[id];
        options.links.push_back({tree.vertices[static_cast<std::size_t>(link.from)].name,
                                 tree.vertices[static_cast<std::size_t>(link.to)].name, wire});
    }
    const Topology same = custom(options);
    for (int source = 0; source < 128; source += 7) {
        for (int target = 0; target < 128; ++target) {
            std::vector<LinkId> expected;
            std::vector<LinkId> found;
            if (source != target) {
                tree.append_route(source, target, expected);
                same.append_route(source, target, found);
            }
            ASSERT_EQ(found, expected) << source << " to " << target;
        }
    }
}

TEST(CustomTopology, NamesTheGpusThatCannotReachEachOther) {
    EXPECT_EQ(custom_complaint([](CustomTopology& o) { o.links.pop_back(); }),
              "topology custom: no way leads to \"a\" from \"b\"");
    EXPECT_EQ(custom_complaint([](CustomTopology& o) { o.links[1].both_ways = false; }),
              "topology custom: no way leads to \"a\" from \"b\"");
    EXPECT_EQ(custom_complaint([](CustomTopology& o) {
                  for (int i = 0; i < 6; ++i) {
                      o.vertices.push_back({fmt::format("c{}", i), VertexKind::gpu});
                  }
              }),
              "topology custom: no way leads to \"a\" from \"c0\", \"c1\", \"c2\" and 3 more");
}

TEST(CustomTopology, RefusesWhatIsThereTwiceUnknownOrImpossible) {
    EXPECT_EQ(custom_complaint([](CustomTopology& o) { o.links[1].to = "bb"; }),
              "link 2: no vertex is called \"bb\"; did you mean b?");
    EXPECT_EQ(
        custom_complaint([](CustomTopology& o) {
            o.links.push_back({"b", "s", wire});
        }),
        "link 3: there is a link from \"b\" to \"s\" already; parallel cables are one link of their bandwidths' sum");
    EXPECT_EQ(custom_complaint([](CustomTopology& o) { o.vertices[2].name = "a"; }),
              "topology custom: two vertices are called \"a\"");
    EXPECT_EQ(custom_complaint([](CustomTopology& o) { o.links[0].wire.bandwidth = {}; }),
              "link 1: the bandwidth must be above 0, not 0 bytes/s");
    EXPECT_EQ(custom_complaint([](CustomTopology& o) { o.links[0].to = "a"; }),
              "link 1: it leads from \"a\" to itself");
    EXPECT_EQ(custom_complaint([](CustomTopology& o) {
                  o.vertices = {{"s", VertexKind::network_switch}};
              }),
              "topology custom: none of its 1 vertices is a GPU");
}

TEST(TopologyRules, FindRoutesThatBreakOrEndElsewhere) {
    Topology topology = ring(4, wire);
    topology.router = [](const Topology&, int, int, std::vector<LinkId>& route) { route = {0, 4}; };
    EXPECT_EQ(complaint([&] { test::validate(topology); }),
              "topology ring: the route from \"gpu 0\" to \"gpu 1\" breaks at \"gpu 1\"");
    topology.router = [](const Topology&, int, int, std::vector<LinkId>& route) { route = {0, 2}; };
    EXPECT_EQ(complaint([&] { test::validate(topology); }),
              "topology ring: the route from \"gpu 0\" to \"gpu 1\" ends at \"gpu 2\"");
    topology.router = [](const Topology&, int, int, std::vector<LinkId>& route) { route = {0, 3, 0}; };
    EXPECT_EQ(complaint([&] { test::validate(topology); }),
              "topology ring: the route from \"gpu 0\" to \"gpu 1\" takes a link twice");
    topology.router = [](const Topology&, int, int, std::vector<LinkId>& route) { route = {99}; };
    EXPECT_EQ(complaint([&] { test::validate(topology); }),
              "topology ring: the route from \"gpu 0\" to \"gpu 1\" has link 99, of 8");
}

}  // namespace
