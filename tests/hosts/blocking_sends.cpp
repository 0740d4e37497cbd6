// Sends that wait until their receive begins: if the cluster says so, on every network, and beyond LogGP's eager limit.
#include "libsim/collectives/all_reduce.hpp"
#include "tests/support/simulate.hpp"
#include "tests/support/star.hpp"

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

class BlockingSends : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, BlockingSends, both_hosts(), host_name);

Cluster blocking(Cluster cluster) {
    cluster.blocking_sends = true;
    return cluster;
}

Cluster rendezvous() {
    Cluster cluster = gpu_py();
    cluster.network = LogGP{.latency = 5us, .eager_limit = Bytes{0}};
    cluster.bytes_per_unit = 1000;
    return cluster;
}

Cluster loggp() {
    Cluster cluster = rendezvous();
    cluster.network = LogGP{.latency = 5us};
    return blocking(cluster);
}

void both_send_first(GPU& gpu) {
    gpu.send(1 - gpu.rank(), "hello", Units{1});
    gpu.receive(1 - gpu.rank(), "hello", Units{1});
}

void take_turns(GPU& gpu) {
    if (gpu.rank() == 0) {
        both_send_first(gpu);
    } else {
        gpu.receive(0, "hello", Units{1});
        gpu.send(0, "hello", Units{1});
    }
}

Cluster star_of_units() {
    Cluster cluster = blocking(star(2));
    cluster.bytes_per_unit = 1000;
    return cluster;
}

}  // namespace

TEST_P(BlockingSends, DeadlockOnEveryNetworkWhereBothRanksSendFirst) {
    for (const Cluster& cluster : {blocking(gpu_py()), loggp(), star_of_units()}) {
        const ranks::Result result = ranks::launch(ranks(2, cluster), both_send_first);
        ASSERT_EQ(result.exit_code(), 3);
        EXPECT_THAT(result.fault->message, HasSubstr("2 of 2 ranks can never go on"));
        EXPECT_THAT(result.fault->message, HasSubstr("sends block, and no receive waits for it; rank 1 waits too"));
        EXPECT_THAT(result.fault->message, HasSubstr("cycle: 0 -> 1 -> 0"));
        EXPECT_TRUE(ranks::launch(ranks(2, cluster), take_turns).ok());
    }
}

TEST_P(BlockingSends, OfLogGPAreThoseBeyondItsEagerLimit) {
    const ranks::Result result = ranks::launch(ranks(2, rendezvous()), both_send_first);
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_THAT(result.fault->message, HasSubstr("deadlock at 0 s: 2 of 2 ranks can never go on"));
    EXPECT_THAT(result.fault->message,
                HasSubstr("too long to be sent ahead, and no receive waits for it; rank 1 waits too"));
    EXPECT_TRUE(ranks::launch(ranks(2, rendezvous()), take_turns).ok());
}

TEST_P(BlockingSends, AreNotTheDefault) {
    EXPECT_TRUE(ranks::launch(ranks(2), both_send_first).ok());
}

// The message takes 0.06 s, and the receive begins after 1 s of computing: until then the sender is idle.
TEST_P(BlockingSends, EndWhenTheirReceiveBegins) {
    const Simulation s = simulate_well(ranks(2, blocking(gpu_py())), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.send(1, Units{1});
        } else {
            gpu.compute(Units{10});
            gpu.receive(0, Units{1});
        }
    });
    EXPECT_EQ(s.span(0, 0).begin, 0s);
    EXPECT_EQ(s.span(0, 0).end, 1s);
    EXPECT_EQ(s.span(0, 0).idle, 940ms);
    EXPECT_EQ(s.span(1, 1).end, 1050ms);
    EXPECT_EQ(s.result.ranks[0].communication, 60ms);
}

TEST_P(BlockingSends, TakeNoLongerWhereTheReceiverWaits) {
    const Simulation s = simulate_well(ranks(2, blocking(gpu_py())), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.compute(Units{10});
            gpu.send(1, Units{1});
        } else {
            gpu.receive(0, Units{1});
        }
    });
    EXPECT_EQ(s.span(0, 1).end, 1060ms);
    EXPECT_EQ(s.span(0, 1).idle, 0s);
    EXPECT_EQ(s.span(1, 0).end, 1110ms);
}

// 1 MB in 1 ms over two links of 1 us; the receive begins at 5 ms.
TEST_P(BlockingSends, WaitOnSharedLinksToo) {
    const Simulation s = simulate_well(ranks(2, blocking(star(2))), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.send(1, Bytes{1'000'000});
        } else {
            gpu.compute(Flops{5'000'000});
            gpu.receive(0, Bytes{1'000'000});
        }
    });
    EXPECT_EQ(s.span(0, 0).end, 5ms);
    EXPECT_EQ(s.span(0, 0).idle, 5ms - 1002us);
    EXPECT_EQ(s.span(1, 1).end, 5ms);
}

// The sender computes meanwhile and blocks in wait().
TEST_P(BlockingSends, WaitInWaitWhereTheyAreAsynchronous) {
    for (const int computed : {1, 20}) {
        const Simulation s = simulate_well(ranks(2, blocking(gpu_py())), [&](GPU& gpu) {
            if (gpu.rank() == 0) {
                const auto sent = gpu.send_async(1, Units{1});
                gpu.compute(Units{computed});
                gpu.wait(sent);
            } else {
                gpu.compute(Units{10});
                gpu.receive(0, Units{1});
            }
        });
        EXPECT_EQ(s.result.ranks[0].end, Time{} + std::max(computed * 100ms, 1000ms));
    }
}

TEST_P(BlockingSends, LetCollectivesBe) {
    const auto program = [](GPU& gpu) { all_reduce(gpu, world(gpu), Units{8}); };
    const Simulation plain = simulate_well(ranks(4, gpu_py()), program);
    EXPECT_EQ(simulate_well(ranks(4, blocking(gpu_py())), program).end(), plain.end());
}
