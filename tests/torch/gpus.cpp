// The simulated GPUs of a process: their streams, their waits, and what the host knows at which time.
#include "tools/torch/gpu/gpus.hpp"

#include "libsim/network/nccl.hpp"
#include "tests/support/simulate.hpp"

namespace {

using namespace sim;
using namespace sim::test;
using torch::CopyTerms;
using torch::Gpus;
using torch::HostTerms;
using torch::Mark;
using torch::StreamName;

class SimulatedGpus : public OnBothHosts {
protected:
    // A unit takes a millisecond, as on every machine.
    static Cluster machine() {
        Cluster cluster{.name = "machine", .network = Nccl{.within = 1e9, .across = 1e9}, .bytes_per_unit = 1000};
        cluster.compute.per_billionth_unit = Pace{1, 1};
        return cluster;
    }
    static Duration us(std::int64_t microseconds) { return Duration{microseconds * 1'000'000}; }
    Simulation run(int count, const ranks::Program& program) { return simulate_well(ranks(count, machine()), program); }
};
INSTANTIATE_TEST_SUITE_P(Hosts, SimulatedGpus, both_hosts(), host_name);

constexpr StreamName computing{0, 0};
constexpr StreamName side{0, 1};

Gpus gpus_of(GPU& gpu, Duration launch) {
    return {gpu, 0, HostTerms{.kernel = launch, .call = launch}, CopyTerms{.host_link = 1e9, .peer_link = 2e9}};
}

TEST_P(SimulatedGpus, ThatAreBusyHideTheLaunches) {
    // Three kernels of 10 us, launched at 2, 4 and 6 us, end at 12, 22 and 32 us.
    const Simulation simulation = run(1, [](GPU& gpu) {
        Gpus gpus = gpus_of(gpu, us(2));
        for (int i = 0; i < 3; ++i) {
            gpus.launch(computing, "mm", us(10));
        }
        EXPECT_EQ(gpus.host(), us(6));
        gpus.synchronize(computing);
        EXPECT_EQ(gpus.host(), us(32));
    });
    EXPECT_EQ(simulation.end(), us(32));
}

TEST_P(SimulatedGpus, WaitForTheirHostWhereKernelsAreShort) {
    run(1, [](GPU& gpu) {
        Gpus gpus = gpus_of(gpu, us(5));
        gpus.launch(computing, "add", us(1));
        gpus.launch(computing, "add", us(1));
        gpus.synchronize(computing);
        EXPECT_EQ(gpus.host(), us(11));
    });
}

TEST_P(SimulatedGpus, CarryOutTwoStreamsSideBySide) {
    // Launched at 1 and 2 us.
    const Simulation simulation = run(1, [](GPU& gpu) {
        Gpus gpus = gpus_of(gpu, us(1));
        gpus.launch(computing, "mm", us(50));
        gpus.launch(side, "copy", us(20));
        Mark there = gpus.record(side);
        EXPECT_EQ(gpus.time_of(there), us(22));
        gpus.synchronize_all();
        EXPECT_EQ(gpus.host(), us(51));
    });
    EXPECT_EQ(simulation.end(), us(51));
}

TEST_P(SimulatedGpus, LetAStreamWaitForAPlaceInAnother) {
    run(1, [](GPU& gpu) {
        Gpus gpus = gpus_of(gpu, us(1));
        gpus.launch(side, "first", us(30));  // until 31 us
        Mark there = gpus.record(side);
        gpus.wait(computing, there);
        gpus.launch(computing, "second", us(10));
        Mark end = gpus.record(computing);
        EXPECT_EQ(gpus.time_of(end), us(41));
        // It can be queried and waited for again.
        EXPECT_EQ(gpus.time_of(there), us(31));
        gpus.wait(computing, there);
        gpus.wait(StreamName{0, 2}, there);
        gpus.launch(StreamName{0, 2}, "third", us(1));
        Mark third = gpus.record(StreamName{0, 2});
        EXPECT_EQ(gpus.time_of(third), us(32));
    });
}

TEST_P(SimulatedGpus, TellTheHostWhetherAPlaceIsPassedByItsOwnTime) {
    run(1, [](GPU& gpu) {
        Gpus gpus = gpus_of(gpu, us(1));
        gpus.launch(side, "mm", us(5));  // from 1 to 6 us
        Mark end = gpus.record(side);
        int asked = 1;
        while (!gpus.has_passed(end)) {
            ++asked;
        }
        EXPECT_EQ(asked, 6);  // at 1, 2, 3, 4, 5 and 6 us
        EXPECT_EQ(gpus.host(), us(6));
    });
}

TEST_P(SimulatedGpus, CopyByTheHostsLink) {
    run(1, [](GPU& gpu) {
        Gpus gpus = gpus_of(gpu, us(1));
        gpus.copy_with_host(computing, false, 1000, true);  // 1 us at 1 GB/s, launched at 1 us
        EXPECT_EQ(gpus.host(), us(2));
        gpus.copy_with_host(computing, false, 5000, false);  // launched at 3 us; the host continues
        EXPECT_EQ(gpus.host(), us(3));
        gpus.synchronize(computing);
        EXPECT_EQ(gpus.host(), us(8));
    });
}

TEST_P(SimulatedGpus, GiveTwoDevicesOfAProcessStreamsOfTheirOwn) {
    run(1, [](GPU& gpu) {
        Gpus gpus = gpus_of(gpu, us(1));
        gpus.launch(StreamName{0, 0}, "mm", us(10));
        gpus.launch(StreamName{1, 0}, "mm", us(10));
        gpus.synchronize_device(0);
        EXPECT_EQ(gpus.host(), us(11));
        gpus.synchronize_device(1);
        EXPECT_EQ(gpus.host(), us(12));
    });
}

TEST_P(SimulatedGpus, OverlapACollectiveWithWhatIsComputedMeanwhile) {
    // As in DDP: a bucket is ready at 11 us and all-reduced on a stream of its own, while the backward pass continues
    // for 40 us.
    const Duration price =
        nccl_time(*machine().network.as<Nccl>(), CollectiveKind::all_reduce, 4000, {.members = 2, .on_node = 2});
    const Simulation simulation = run(2, [&](GPU& gpu) {
        Gpus gpus = gpus_of(gpu, us(1));
        const Group both = world(gpu).as_communicator(5);
        gpus.launch(computing, "backward", us(10));
        Mark ready = gpus.record(computing);
        gpus.wait(side, ready);
        gpus.on(side, [&] { gpu.collective(both, {.kind = CollectiveKind::all_reduce, .size = Bytes{4000}}); });
        Mark reduced = gpus.record(side);
        gpus.launch(computing, "backward", us(40));
        EXPECT_EQ(gpus.time_of(reduced), us(11) + price);
        gpus.wait(computing, reduced);
        gpus.synchronize(computing);
        EXPECT_EQ(gpus.host(), std::max(us(51), us(11) + price));
    });
    EXPECT_EQ(simulation.end(), std::max(us(51), us(11) + price));
}

TEST_P(SimulatedGpus, LaunchACapturedGraphByOneCallOfTheHost) {
    // Captured by three launches of 2 us, launched by one call, without the host between its kernels of 3 and 4 us.
    const Simulation simulation = run(1, [](GPU& gpu) {
        Gpus gpus = gpus_of(gpu, us(2));
        gpus.begin_capture(side, false);
        gpus.launch(side, "mm", us(3));
        gpus.launch(side, "add", us(4));
        const std::int64_t graph = gpus.end_capture(side);
        EXPECT_EQ(gpus.graph_size(graph), 2);
        EXPECT_EQ(gpus.host(), us(4));
        gpus.begin_launch(graph, computing);
        gpus.end_launch();
        EXPECT_EQ(gpus.host(), us(6));
        gpus.synchronize(computing);
        EXPECT_EQ(gpus.host(), us(13));
    });
    EXPECT_EQ(simulation.end(), us(13));
}

TEST_P(SimulatedGpus, CarryOutTheBranchesOfAGraphSideBySide) {
    // 5 us, then 20 us in parallel with 30 us, then 1 us.
    run(1, [](GPU& gpu) {
        constexpr StreamName branch{0, 2};
        Gpus gpus = gpus_of(gpu, us(0));
        gpus.begin_capture(side, false);
        gpus.launch(side, "first", us(5));
        Mark fork = gpus.record(side);
        gpus.wait(branch, fork);
        gpus.launch(branch, "beside", us(20));
        gpus.launch(side, "on", us(30));
        Mark join = gpus.record(branch);
        gpus.wait(side, join);
        gpus.launch(side, "last", us(1));
        const std::int64_t graph = gpus.end_capture(side);
        // Other work on the branch's stream does not delay the graph's branch.
        gpus.launch(branch, "unrelated", us(500));
        gpus.begin_launch(graph, computing);
        gpus.end_launch();
        gpus.synchronize(computing);
        EXPECT_EQ(gpus.host(), us(36));
    });
}

TEST_P(SimulatedGpus, RefuseInACaptureWhatAGpuRefuses) {
    run(1, [](GPU& gpu) {
        Gpus gpus = gpus_of(gpu, us(1));
        Mark before = gpus.record(computing);
        const auto refuses = [&](auto call) {
            gpus.begin_capture(side, false);
            EXPECT_THROW(call(), torch::CaptureError);
            EXPECT_EQ(gpus.capture_status(side), -1);
            EXPECT_THROW(gpus.end_capture(side), torch::CaptureError);
            EXPECT_EQ(gpus.capture_status(side), 0);
        };
        refuses([&] { gpus.synchronize(side); });
        refuses([&] { gpus.synchronize_device(0); });
        refuses([&] { gpus.has_passed(before); });
        refuses([&] { gpus.wait(side, before); });
        refuses([&] { gpus.copy_with_host(side, true, 8, true); });
    });
}

TEST_P(SimulatedGpus, RefuseACaptureWhoseBranchHasNotComeBack) {
    run(1, [](GPU& gpu) {
        constexpr StreamName branch{0, 2};
        Gpus gpus = gpus_of(gpu, us(1));
        gpus.begin_capture(side, false);
        Mark fork = gpus.record(side);
        gpus.wait(branch, fork);
        gpus.launch(branch, "beside", us(20));
        EXPECT_THROW(gpus.end_capture(side), torch::CaptureError);
    });
}

}  // namespace
