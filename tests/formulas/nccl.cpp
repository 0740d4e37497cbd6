// The model of NCCL's own tuner, worked out by hand, and published measurements next to it.
#include "libsim/network/nccl.hpp"

#include "libsim/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace sim;

namespace {

constexpr std::int64_t MiB = 1 << 20;
constexpr std::int64_t GiB = 1 << 30;

// Links of 450 GB/s, of which a ring reaches 82 %; NICs of 50 GB/s, of which 48 are reached; no NVLS.
Nccl hopper() {
    return {.within = 369e9, .across = 48e9, .ll_most = 141e9};
}
Nccl hopper_with_switches() {
    Nccl network = hopper();
    network.switch_bandwidth = 473e9;
    return network;
}
Duration us(double microseconds) {
    return duration_of_seconds(microseconds * 1e-6);
}

}  // namespace

TEST(NcclTime, OneMemberPaysNothing) {
    EXPECT_EQ(nccl_time(hopper(), CollectiveKind::all_reduce, GiB, {.members = 1, .on_node = 1}), Duration{0});
    EXPECT_STREQ(nccl_choice(hopper(), CollectiveKind::all_reduce, GiB, {.members = 1, .on_node = 1}).algorithm,
                 "none");
}

TEST(NcclTime, ALongAllGatherInANodeIsASimpleRing) {
    // A base latency of 8.4 us and 7 hops of 3.4 us; 7/8 of 3690 MB over 369 GB/s take 8750 us.
    EXPECT_EQ(nccl_time(hopper(), CollectiveKind::all_gather, 3'690'000'000, {.members = 8, .on_node = 8}),
              us(8.4 + 7 * 3.4 + 8750));
}

TEST(NcclTime, ALongAllReduceGoesRoundTheRingTwice) {
    EXPECT_EQ(nccl_time(hopper(), CollectiveKind::all_reduce, 3'690'000'000, {.members = 8, .on_node = 8}),
              us(8.4 + 14 * 3.4 + 2 * 8750));
}

// 2 MB: 7/8 of them over 0.5 x 369 (at most 141), 0.92 x 369 and 369 GB/s.
TEST(NcclWays, AreAllThatItWeighsAndTheShortestIsTheChoice) {
    const Footprint members{.members = 8, .on_node = 8};
    const std::vector<NcclWay> ways = nccl_ways(hopper(), CollectiveKind::all_gather, 2'000'000, members);
    ASSERT_EQ(ways.size(), 3U);
    EXPECT_NEAR(ways[0].latency, 10.8e-6, 1e-15);
    EXPECT_NEAR(ways[0].expected, 10.8e-6 + 1'750'000 / 141e9, 1e-12);
    EXPECT_NEAR(ways[1].latency, 27.3e-6, 1e-15);
    EXPECT_NEAR(ways[1].expected, 27.3e-6 + 1'750'000 / (0.92 * 369e9), 1e-12);
    EXPECT_NEAR(ways[2].expected, 32.2e-6 + 1'750'000 / 369e9, 1e-12);
    EXPECT_EQ(nccl_name(ways[0].algorithm, ways[0].protocol), "ring/LL");
    EXPECT_EQ(nccl_time(hopper(), CollectiveKind::all_gather, 2'000'000, members),
              duration_of_seconds(ways[0].expected));
}

TEST(NcclWays, AreNoneForOneMemberAndMoreWithTreesAndSwitches) {
    const auto count = [](const Nccl& network, const Footprint& members) {
        return nccl_ways(network, CollectiveKind::all_reduce, 1000, members).size();
    };
    EXPECT_EQ(count(hopper(), {.members = 1, .on_node = 1}), 0U);
    EXPECT_EQ(count(hopper_with_switches(), {.members = 8, .on_node = 8}), 4U);
    EXPECT_EQ(count(hopper_with_switches(), {.members = 16, .on_node = 8}), 7U);
}

TEST(NcclTime, ABarrierIsARingOfLLWithoutBytes) {
    EXPECT_EQ(nccl_time(hopper(), CollectiveKind::barrier, 0, {.members = 8, .on_node = 8}), us(6.6 + 14 * 0.6));
}

TEST(NcclTime, LLReachesHalfOfTheBusAndAtMostItsCap) {
    Nccl network = hopper();
    // 7/8 of 8192 bytes over 141 GB/s, less than half of 369.
    EXPECT_EQ(nccl_time(network, CollectiveKind::all_gather, 8192, {.members = 8, .on_node = 8}),
              us(6.6 + 7 * 0.6 + 7168 / 141e3));
    network.within = 200e9;
    EXPECT_EQ(nccl_time(network, CollectiveKind::all_gather, 8192, {.members = 8, .on_node = 8}),
              us(6.6 + 7 * 0.6 + 7168 / 100e3));
}

TEST(NcclTime, LL128IsForTheMiddle) {
    // 4 MiB: LL 10.8 + 26.0 us, LL128 27.3 + 10.8, Simple 32.2 + 9.9; 8 MiB: LL 62.8, LL128 48.9, Simple 52.1.
    const NcclChoice choice = nccl_choice(hopper(), CollectiveKind::all_gather, 8 * MiB, {.members = 8, .on_node = 8});
    EXPECT_STREQ(choice.protocol, "LL128");
    EXPECT_DOUBLE_EQ(choice.seconds, 14e-6 + 7 * 1.9e-6 + 7 * MiB / (369e9 * 0.92));
    EXPECT_DOUBLE_EQ(choice.bus_bandwidth, 7 * MiB / choice.seconds);
}

TEST(NcclTime, ARingOverNodesLeavesEachOverTheCardsOfItsMembers) {
    // 16 ranks on two nodes: 14 hops within nodes and one between them; 8 NICs of 48 GB/s are faster than the links.
    EXPECT_EQ(nccl_time(hopper(), CollectiveKind::all_gather, 3'690'000'000, {.members = 16, .on_node = 8}),
              us(8.4 + 14 * 3.4 + 14 + 9375));
    // Four NICs of a node have 192 GB/s, one has 48: 3 hops between nodes, none over links.
    EXPECT_EQ(nccl_time(hopper(), CollectiveKind::all_gather, 3'840'000'000, {.members = 8, .on_node = 4}),
              us(8.4 + 6 * 3.4 + 14 + 17500));
    EXPECT_EQ(nccl_time(hopper(), CollectiveKind::all_gather, 3'840'000'000, {.members = 4, .on_node = 1}),
              us(8.4 + 3 * 14 + 60000));
}

TEST(NcclTime, ALongRingAllReduceOverNodesWaitsLongerInEachStep) {
    // 4 nodes of one GPU: 6 hops of 14 us plus the base, all 1.4 times; 6/4 of 3840 MB over 48 GB/s.
    EXPECT_EQ(nccl_time(hopper(), CollectiveKind::all_reduce, 3'840'000'000, {.members = 4, .on_node = 1}),
              us(1.4 * (8.4 + 6 * 14) + 120000));
}

TEST(NcclTime, AShortAllReduceOverNodesIsATree) {
    // 8 nodes of 8: 7 hops and 3 levels, up and down.
    EXPECT_EQ(nccl_time(hopper(), CollectiveKind::barrier, 0, {.members = 64, .on_node = 8}),
              us(6.8 + 2 * (7 * 0.6 + 3 * 5)));
}

TEST(NcclTime, ATreeOverFewNodesIsFasterThanNcclExpects) {
    // 4 nodes with 8 NICs of 12 GB/s: a node sends 2 * 3/4 of the bytes; LL128 reaches 0.92 * 120/128 of its NICs.
    Nccl network = hopper();
    network.across = 12e9;
    const NcclChoice choice = nccl_choice(network, CollectiveKind::all_reduce, MiB, {.members = 32, .on_node = 8});
    EXPECT_STREQ(choice.algorithm, "tree");
    EXPECT_STREQ(choice.protocol, "LL128");
    EXPECT_DOUBLE_EQ(choice.seconds, 14e-6 + 2 * (7 * 1.25e-6 + 2 * 8.5e-6) + MiB / (96e9 / 1.5 * 0.92 * 120 / 128));
}

TEST(NcclTime, SwitchesAddUpForAllReduceOfMoreThanFourGpus) {
    const Nccl network = hopper_with_switches();
    const auto algorithm = [&](CollectiveKind kind, const Footprint& at) {
        return std::string(nccl_choice(network, kind, GiB, at).algorithm);
    };
    EXPECT_EQ(nccl_time(network, CollectiveKind::all_reduce, 473'000'000, {.members = 8, .on_node = 8}), us(25 + 1750));
    EXPECT_EQ(algorithm(CollectiveKind::all_reduce, {.members = 5, .on_node = 5}), "NVLS");
    EXPECT_EQ(algorithm(CollectiveKind::all_reduce, {.members = 4, .on_node = 4}), "ring");
    EXPECT_EQ(algorithm(CollectiveKind::all_gather, {.members = 8, .on_node = 8}), "ring");
    EXPECT_EQ(algorithm(CollectiveKind::reduce_scatter, {.members = 8, .on_node = 8}), "ring");
}

TEST(NcclTime, SwitchesOfManyNodesFormATree) {
    // 16 nodes: 4 levels; 62/32 … of the bytes over the switches' 300 GB/s, less than 8 NICs of 48.
    Nccl network = hopper();
    network.within = 250e9;
    network.switch_bandwidth = 300e9;
    EXPECT_EQ(nccl_time(network, CollectiveKind::all_reduce, 3'000'000'000, {.members = 128, .on_node = 8}),
              us(25 + 2 * 4 * 20.9 + 254.0 / 128 * 10000));
}

TEST(NcclTime, AllToAllSendsWithinAndAcrossAtTheSameTime) {
    // In a node: 7/8 over the links. Over 4 nodes: 24/32 over the rank's own NIC, while 7/32 go over the links.
    EXPECT_EQ(nccl_time(hopper(), CollectiveKind::all_to_all, 369'000'000, {.members = 8, .on_node = 8}),
              us(8 + 6 * 0.6 + 875));
    EXPECT_EQ(nccl_time(hopper(), CollectiveKind::all_to_all, 48'000'000, {.members = 32, .on_node = 8}),
              us(16 + 30 * 0.6 + 750));
}

TEST(NcclTime, MessagesTakeALatencyAndTheirBytes) {
    EXPECT_EQ(nccl_message_time(hopper(), 369'000, false), us(8 + 1));
    EXPECT_EQ(nccl_message_time(hopper(), 48'000, true), us(16 + 1));
}

TEST(NcclTime, MoreBytesNeverTakeLess) {
    for (const Footprint& at :
         {Footprint{8, 8}, Footprint{32, 8}, Footprint{16, 1}, Footprint{6, 6}, Footprint{2, 1}}) {
        Duration last{0};
        for (std::int64_t bytes = 1; bytes < 64 * GiB; bytes += 1 + bytes / 8) {
            const Duration now = nccl_time(hopper_with_switches(), CollectiveKind::all_reduce, bytes, at);
            ASSERT_GE(now, last) << bytes << " bytes, " << at.members << " ranks";
            last = now;
        }
    }
}

TEST(NcclTime, WithoutALinkItSaysWhichIsMissing) {
    const auto message_of = [](const Nccl& network, const Footprint& at) {
        try {
            nccl_time(network, CollectiveKind::all_reduce, MiB, at);
        } catch (const ProgramError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(message_of({.within = 1e9}, {.members = 16, .on_node = 8}),
              "a collective of 16 ranks, 8 on a node, needs a rate between nodes (Nccl::across) above 0");
    EXPECT_EQ(message_of({.across = 1e9}, {.members = 16, .on_node = 8}),
              "a collective of 16 ranks, 8 on a node, needs a rate within a node (Nccl::within) above 0");
    EXPECT_THROW(nccl_message_time({.within = 1e9}, 1, true), ProgramError);
}

// Measurements: stas00/ml-engineering, accelerator and network tables, and NVIDIA's NCCL talk at GTC25 (S72583). The
// shares of the links' rates are those of the machine's generation; nothing else is fitted.
namespace {

struct Measured {
    double mebibytes;
    double bus_bandwidth;  // GB/s
};
// The largest error of the time, as a factor; `launch` is the benchmark's overhead per collective.
double worst(const Nccl& network, const Footprint& at, const std::vector<Measured>& runs, double launch) {
    double most = 1;
    for (const Measured& run : runs) {
        const auto bytes = static_cast<std::int64_t>(run.mebibytes * MiB);
        const double members = at.members;
        const double measured = static_cast<double>(bytes) * 2 * (members - 1) / members / (run.bus_bandwidth * 1e9);
        const double seconds = nccl_choice(network, CollectiveKind::all_reduce, bytes, at).seconds + launch;
        most = std::max({most, seconds / measured, measured / seconds});
    }
    return most;
}

}  // namespace

TEST(NcclMeasured, EightH200sWithRingsAndWithSwitches) {
    const auto bus = [](const Nccl& network, CollectiveKind kind, int members) {
        return nccl_choice(network, kind, 8 * GiB, {.members = members, .on_node = members}).bus_bandwidth / 1e9;
    };
    EXPECT_NEAR(bus(hopper(), CollectiveKind::all_reduce, 8), 365.6, 0.015 * 365.6);
    EXPECT_NEAR(bus(hopper(), CollectiveKind::all_gather, 8), 361.4, 0.025 * 361.4);
    EXPECT_NEAR(bus(hopper(), CollectiveKind::reduce_scatter, 8), 362.9, 0.025 * 362.9);
    const Nccl switches = hopper_with_switches();
    EXPECT_NEAR(bus(switches, CollectiveKind::all_reduce, 4), 363.3, 0.02 * 363.3);
    EXPECT_NEAR(bus(switches, CollectiveKind::all_reduce, 5), 414.2, 0.03 * 414.2);
    EXPECT_NEAR(bus(switches, CollectiveKind::all_reduce, 6), 435.6, 0.01 * 435.6);
    EXPECT_NEAR(bus(switches, CollectiveKind::all_reduce, 7), 460.0, 0.01 * 460.0);
    EXPECT_NEAR(bus(switches, CollectiveKind::all_reduce, 8), 473.1, 0.01 * 473.1);
}

// Python takes 35 us to launch a collective: the shortest ones measured take 47 us.
TEST(NcclMeasured, OneNodeOfB200sBySize) {
    const Nccl network{
        .within = 682e9, .across = 48e9, .ll_most = 141e9, .switch_bandwidth = 740e9, .switch_latency = 75e-6};
    const Footprint node{.members = 8, .on_node = 8};
    EXPECT_LT(worst(network, node,
                    {{16, 254.96},
                     {32, 325.97},
                     {64, 400.6},
                     {128, 568.38},
                     {256, 646.11},
                     {512, 688.99},
                     {1024, 723.34},
                     {2048, 734.97},
                     {4096, 740.64},
                     {8192, 839.07},
                     {16384, 845.67}},
                    35e-6),
              1.15);
    EXPECT_LT(worst(network, node,
                    {{0.03125, 1.2},
                     {0.0625, 2.17},
                     {0.125, 4.86},
                     {0.25, 9.54},
                     {0.5, 18.71},
                     {1, 36.06},
                     {2, 63.09},
                     {4, 76.48},
                     {8, 126.49}},
                    35e-6),
              1.35);
}

TEST(NcclMeasured, FourNodesOf100GBPerSecond) {
    const Nccl network{.within = 369e9, .across = 12e9, .ll_most = 141e9};
    const Footprint nodes{.members = 32, .on_node = 8};
    EXPECT_LT(
        worst(network, nodes,
              {{16, 93.93}, {32, 98.34}, {64, 84.9}, {128, 88.23}, {256, 91.01}, {512, 92.95}, {1024, 94.15}}, 35e-6),
        1.18);
    EXPECT_LT(worst(network, nodes,
                    {{0.03125, 0.92},
                     {0.0625, 1.61},
                     {0.125, 3.05},
                     {0.25, 5.18},
                     {0.5, 9.17},
                     {1, 17.13},
                     {2, 23.79},
                     {4, 40.3},
                     {8, 68.62}},
                    35e-6),
              1.35);
}

// The shortest collectives take 360 us there: hops take eight times as long as in NCCL's model, five times in the tree
// of switches.
TEST(NcclMeasured, FourNodesOfB200sOverASlowerNetwork) {
    Nccl network{.within = 682e9,
                 .across = 48e9,
                 .ll_most = 141e9,
                 .switch_bandwidth = 740e9,
                 .switch_latency = 75e-6,
                 .switch_latency_across = 5 * 20.9e-6};
    for (NcclProtocols* algorithm : {&network.ring, &network.tree}) {
        algorithm->ll.across *= 8;
        algorithm->ll128.across *= 8;
        algorithm->simple.across *= 8;
    }
    const Footprint nodes{.members = 32, .on_node = 8};
    EXPECT_LT(
        worst(network, nodes,
              {{512, 326.9}, {1024, 361.99}, {2048, 372.42}, {4096, 377.34}, {8192, 380.39}, {16384, 381.8}}, 35e-6),
        1.05);
    EXPECT_LT(worst(network, nodes,
                    {{0.25, 1.33},
                     {0.5, 2.84},
                     {1, 5.37},
                     {2, 10.38},
                     {4, 18.9},
                     {8, 35.12},
                     {16, 64.43},
                     {32, 91.19},
                     {64, 156.74},
                     {128, 197.94},
                     {256, 229.09}},
                    35e-6),
              1.8);
}

// p5.48xlarge, whose EFA plugin tells NCCL that a hop takes 75 us. Measurements of 1,000 collectives in a row:
// crazyguitar/aws-gpu-communication-benchmark (2025).
TEST(NcclMeasured, NodesOfH100sOverAmazonsFabric) {
    Nccl network = hopper_with_switches();
    network.across = 0.87 * 50e9;
    network.card_latency = 75e-6;
    const auto nodes = [](int count) { return Footprint{.members = 8 * count, .on_node = 8}; };
    EXPECT_LT(worst(network, nodes(2), {{32, 147.32}, {64, 207.00}}, 0), 1.1);
    EXPECT_LT(worst(network, nodes(4), {{32, 95.38}, {64, 152.41}, {256, 273.34}, {8192, 356.99}}, 0), 1.2);
    EXPECT_LT(worst(network, nodes(8), {{32, 86.74}, {256, 232.09}, {1024, 274.47}, {8192, 355.36}}, 0), 1.2);
    EXPECT_LT(worst(network, nodes(16), {{32, 74.85}, {1024, 269.23}, {8192, 356.27}}, 0), 1.2);
    EXPECT_LT(worst(network, nodes(32), {{32, 66.34}, {8192, 321.10}}, 0), 1.1);
    EXPECT_LT(worst(network, nodes(32), {{256, 137.99}, {1024, 220.08}}, 0), 1.6);
    network.card_latency = 0;
    EXPECT_GT(worst(network, nodes(32), {{32, 66.34}}, 0), 2.5);  // as if it were InfiniBand
}
