// Nodes without a switch: full meshes and tori of GPUs, worked out by hand.
#include "libsim/network/nccl.hpp"
#include "libsim/network/torus_block.hpp"

#include <gtest/gtest.h>

using namespace sim;
using namespace sim::network;

namespace {

// 7 links of 64 GB/s, one to each other GPU.
Nccl mesh_of_eight() {
    return {.within = 448e9, .peers = 7};
}
// 6 links of 100 GB/s.
Nccl three_axes() {
    return {.within = 600e9, .one_protocol = true, .torus_axes = 3, .torus_closed = 4};
}
double microseconds_of(const Nccl& network, CollectiveKind kind, std::int64_t bytes, int members) {
    return seconds(nccl_time(network, kind, bytes, {.members = members, .on_node = members})) * 1e6;
}

}  // namespace

TEST(MeshOfGpus, OfTwoOfThemHasOneLinkOfSeven) {
    EXPECT_DOUBLE_EQ(node_rate(mesh_of_eight(), 2), 64e9);
    EXPECT_DOUBLE_EQ(node_rate(mesh_of_eight(), 4), 192e9);
    EXPECT_DOUBLE_EQ(node_rate(mesh_of_eight(), 8), 448e9);
    // Half of 1.28 GB over 64 GB/s; 8.4 us and a hop of 3.4 us.
    EXPECT_NEAR(microseconds_of(mesh_of_eight(), CollectiveKind::all_gather, 1'280'000'000, 2), 10'000 + 11.8, 1e-3);
}

TEST(MeshOfGpus, SendsAMessageOverOneLink) {
    EXPECT_NEAR(seconds(nccl_message_time(mesh_of_eight(), 64'000'000, false)), 1e-3 + 8e-6, 1e-9);
}

TEST(TorusBlock, IsAsEvenAsPossibleAndOnlyItsLongSidesAreRings) {
    const TorusBlock cube = torus_block(64, 3, 4);  // 4 x 4 x 4
    EXPECT_EQ(cube.links, 6);
    EXPECT_EQ(cube.hops, 6);
    EXPECT_EQ(cube.load, 0.5);
    const TorusBlock few = torus_block(8, 3, 4);  // 2 x 2 x 2
    EXPECT_EQ(few.links, 3);
    EXPECT_EQ(few.hops, 3);
    const TorusBlock square = torus_block(64, 2, 16);  // 8 x 8
    EXPECT_EQ(square.links, 2);
    EXPECT_EQ(square.hops, 14);
    EXPECT_EQ(square.load, 2);
    EXPECT_EQ(torus_block(5, 1, 4).hops, 2);
}

// 63/64 of 6.4 GB over 600 GB/s, 6 hops of 1 us after 8.4 us; 3/4 of 4 GB over the 2 links of a square.
TEST(Torus, GathersOverAllAxesAtOnce) {
    EXPECT_NEAR(microseconds_of(three_axes(), CollectiveKind::all_gather, 6'400'000'000, 64), 10'500 + 14.4, 1e-3);
    EXPECT_NEAR(microseconds_of(three_axes(), CollectiveKind::all_gather, 4'000'000'000, 4), 15'000 + 10.4, 1e-3);
    EXPECT_NEAR(microseconds_of(three_axes(), CollectiveKind::all_reduce, 6'400'000'000, 64), 21'000 + 20.4, 1e-3);
}

// Half of what each of 64 chips sends crosses the middle of a ring of 4, on half of the links of its plane.
TEST(Torus, IsSlowestForAnAllToAllAcrossItsMiddle) {
    EXPECT_NEAR(microseconds_of(three_axes(), CollectiveKind::all_to_all, 1'000'000'000, 64), 5'000 + 14.4, 1e-3);
}

TEST(Torus, IsTheNameOfItsAlgorithm) {
    const NcclChoice choice =
        nccl_choice(three_axes(), CollectiveKind::all_reduce, 1 << 20, {.members = 64, .on_node = 64});
    EXPECT_EQ(nccl_name(choice.algorithm, choice.protocol), "torus");
}

TEST(OneProtocol, HasNoLowLatencyAndNoNameOfNccls) {
    const Nccl network{.within = 100e9, .across = 10e9, .one_protocol = true};
    const std::vector<NcclWay> ways = nccl_ways(network, CollectiveKind::all_reduce, 8, {.members = 16, .on_node = 8});
    ASSERT_EQ(ways.size(), 2U);
    EXPECT_EQ(nccl_name(ways[0].algorithm, ways[0].protocol), "ring");
    EXPECT_EQ(nccl_name(ways[1].algorithm, ways[1].protocol), "tree");
}
