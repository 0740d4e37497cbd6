// The costs of any rank program on a machine.
#include "libsim/training/machine_cluster.hpp"

#include "libsim/error.hpp"
#include "libsim/network/nccl.hpp"
#include "libsim/training/hardware.hpp"
#include "tests/support/simulate.hpp"

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

ranks::LaunchOptions fibers_on(const char* machine, int count) {
    return {
        .ranks = count, .host = ranks::Host::fiber, .cluster = training::machine_cluster(training::machine(machine))};
}

TEST(Machine, HasAJobEvenlyOnTheFewestNodes) {
    const auto on_node = [](int gpus, int of_node) {
        training::Machine one = training::machine("gb200-nvl72");
        one.gpus_per_node = of_node;
        one.place(gpus);
        EXPECT_EQ(one.network.ranks_per_node, one.gpus_per_node);
        return one.gpus_per_node;
    };
    EXPECT_EQ(on_node(256, 72), 64);
    EXPECT_EQ(on_node(144, 72), 72);
    EXPECT_EQ(on_node(64, 72), 72);  // one node is not full, so nothing is spread
    EXPECT_EQ(on_node(16, 8), 8);
    EXPECT_EQ(on_node(12, 8), 6);
    EXPECT_EQ(on_node(145, 72), 72);  // it cannot be split equally over three nodes
}

TEST(MachineCluster, HasTheNameOfItsMachine) {
    EXPECT_EQ(training::machine_cluster(training::machine("dgx-h100")).name, "dgx-h100");
}

TEST(MachineCluster, PricesAUnitOfComputeAtAMillisecond) {
    const auto run = simulate_well(fibers_on("dgx-h100", 1), [](GPU& gpu) { gpu.compute(Units{7}); });
    EXPECT_EQ(run.end(), 7ms);
}

TEST(MachineCluster, PricesAFlopAsWithinALargeMatrixProductIn16Bits) {
    const training::Accelerator h100 = training::machine("dgx-h100").gpu;
    const double rate = h100.sustained(training::Precision::bf16) * h100.efficiency.gemm_peak;
    ASSERT_GE(rate, h100.sustained(training::Precision::fp16) * h100.efficiency.gemm_peak);
    const auto run =
        simulate_well(fibers_on("dgx-h100", 1), [](GPU& gpu) { gpu.compute(Flops{1'000'000'000'000'000}); });
    EXPECT_NEAR(static_cast<double>(run.end().count()), 1e15 / rate * 1e12, 1.0);
}

TEST(MachineCluster, PricesCollectivesAsNcclTakesThem) {
    const Nccl nccl = training::machine("dgx-h100").network;
    for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather}) {
        const auto run = simulate_well(fibers_on("dgx-h100", 16), [kind](GPU& gpu) {
            gpu.collective(world(gpu), {.kind = kind, .size = Bytes{1 << 26}});
        });
        const network::Footprint members{.members = 16, .on_node = 8};
        EXPECT_EQ(run.end(), network::nccl_time(nccl, kind, 1 << 26, members)) << name_of(kind);
    }
}

TEST(MachineCluster, PricesAMessageAtItsLatencyAndItsBytes) {
    const Nccl nccl = training::machine("dgx-h100").network;
    for (const int target : {1, 8}) {
        const auto run = simulate_well(fibers_on("dgx-h100", 9), [target](GPU& gpu) {
            if (gpu.rank() == 0) {
                gpu.send(target, Bytes{0});
                gpu.send(target, Bytes{1'000'000});
            } else if (gpu.rank() == target) {
                gpu.receive(0, Bytes{0});
                gpu.receive(0, Bytes{1'000'000});
            }
        });
        const bool across = target == 8;
        EXPECT_EQ(run.span(target, 0).end, network::nccl_message_time(nccl, 0, across));
        EXPECT_EQ(run.end(), run.span(target, 0).end + network::nccl_message_time(nccl, 1'000'000, across));
        EXPECT_EQ(run.span(target, 0).end, across ? 16us : 8us);
    }
}

// 0.6 us and 450 GB/s within a node, 2.7 us and 50 GB/s between nodes.
TEST(WireCluster, PricesMessagesAtTheLinksOwnRates) {
    const Cluster wires = training::wire_cluster(training::machine("dgx-h100"));
    EXPECT_EQ(wires.name, "dgx-h100");
    EXPECT_EQ(transfer_time(wires, Bytes{450'000}, Hop::within), 600ns + 1us);
    EXPECT_EQ(transfer_time(wires, Bytes{450'000}, Hop::across), 2700ns + 9us);
    EXPECT_EQ(ranks_per_node(wires), 8);
}

TEST(WireCluster, HasNoPriceBetweenNodesWhereThereIsOne) {
    training::Machine machine = training::machine("dgx-h100");
    machine.scale_out = 0;
    EXPECT_THROW(require_price(training::wire_cluster(machine), Bytes{1}, Hop::across), ProgramError);
}

TEST(PeerRate, IsThatOfALinkOfAMeshOrTorusAndOfTheHostWithoutPeerToPeerAccess) {
    EXPECT_DOUBLE_EQ(training::peer_rate(training::machine("dgx-h100")), 450e9);
    EXPECT_DOUBLE_EQ(training::peer_rate(training::machine("mi300x-8")), 64e9);
    EXPECT_DOUBLE_EQ(training::peer_rate(training::machine("tpu-v5p")), 100e9);
    EXPECT_DOUBLE_EQ(training::peer_rate(training::machine("rtx-4090")), 0.32 * 31.5e9);
}

TEST(MachineCluster, HasNoPriceForUnitsOfData) {
    const auto run = simulate(fibers_on("dgx-h100", 2),
                              [](GPU& gpu) { gpu.rank() == 0 ? gpu.send(1, Units{1}) : gpu.receive(0, Units{1}); });
    ASSERT_FALSE(run.result.ok());
    EXPECT_THAT(run.result.fault->message, testing::HasSubstr("no price for units"));
}

}  // namespace
