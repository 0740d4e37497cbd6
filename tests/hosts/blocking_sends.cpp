// A program asks for sends that wait for their receivers by a LogGP network whose eager limit is 0.
#include "tests/support/simulate.hpp"

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

class BlockingSends : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, BlockingSends, both_hosts(), host_name);

Cluster blocking() {
    Cluster cluster = gpu_py();
    cluster.network = LogGP{.latency = 5us, .eager_limit = Bytes{0}};
    cluster.bytes_per_unit = 1000;
    return cluster;
}

void both_send_first(GPU& gpu) {
    gpu.send(1 - gpu.rank(), "hello", Units{1});
    gpu.receive(1 - gpu.rank(), "hello", Units{1});
}

}  // namespace

TEST_P(BlockingSends, DeadlockWhereBothRanksSendFirst) {
    const ranks::Result result = ranks::launch(ranks(2, blocking()), both_send_first);
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_THAT(result.fault->message, HasSubstr("deadlock at 0 s: 2 of 2 ranks can never go on"));
    EXPECT_THAT(result.fault->message, HasSubstr("no receive waits for it; rank 1 waits too"));
    EXPECT_THAT(result.fault->message, HasSubstr("cycle: 0 -> 1 -> 0"));
}

TEST_P(BlockingSends, AreNotTheDefault) {
    EXPECT_TRUE(ranks::launch(ranks(2), both_send_first).ok());
}

TEST_P(BlockingSends, EndWhereOneRankReceivesFirst) {
    const auto taking_turns = [](GPU& gpu) {
        if (gpu.rank() == 0) {
            both_send_first(gpu);
        } else {
            gpu.receive(0, "hello", Units{1});
            gpu.send(0, "hello", Units{1});
        }
    };
    EXPECT_TRUE(ranks::launch(ranks(2, blocking()), taking_turns).ok());
}
