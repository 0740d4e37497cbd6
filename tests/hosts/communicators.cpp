// Collectives of a communicator match whichever stream each member runs them on, on both hosts.
#include "libsim/network/nccl.hpp"
#include "tests/support/simulate.hpp"

namespace {

using namespace sim;
using namespace sim::test;
using testing::HasSubstr;

class Communicators : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, Communicators, both_hosts(), host_name);

// An empty collective takes only its latency; a unit is 1 us of compute.
Cluster machine() {
    Cluster cluster{.name = "machine", .network = Nccl{.within = 369e9, .across = 48e9}, .bytes_per_unit = 1000};
    cluster.compute.per_billionth_unit = Pace{1, 1000};
    return cluster;
}

Collective all_to_all(std::int64_t bytes) {
    return {.kind = CollectiveKind::all_to_all, .size = Bytes{bytes}};
}

Duration price_of(std::int64_t bytes) {
    return nccl_time(*machine().network.as<Nccl>(), CollectiveKind::all_to_all, bytes, {.members = 2, .on_node = 2});
}

TEST_P(Communicators, MeetOnDifferentStreams) {
    const Simulation simulation = simulate(ranks(2, machine()), [](GPU& gpu) {
        const Group both = world(gpu).as_communicator(7);
        gpu.wait(gpu.on(gpu.rank() == 0 ? Stream{3} : Stream{9}, [&] { gpu.collective(both, all_to_all(1 << 20)); }));
    });
    ASSERT_TRUE(simulation.result.ok()) << simulation.result.fault->message;
    EXPECT_EQ(simulation.end(), price_of(1 << 20));
    EXPECT_EQ(simulation.span(0, 0).stream, Stream{3});
    EXPECT_EQ(simulation.span(1, 0).stream, Stream{9});
}

TEST_P(Communicators, OfTheSameRanksAreKeptApart) {
    // Rank 0 calls the first communicator's collective before the second's, rank 1 in the opposite order, on two
    // streams.
    const Simulation simulation = simulate(ranks(2, machine()), [](GPU& gpu) {
        const Group one = world(gpu).as_communicator(1);
        const Group two = world(gpu).as_communicator(2);
        const bool is_first = gpu.rank() == 0;
        const Handle a =
            gpu.on(Stream{1}, [&] { gpu.collective(is_first ? one : two, all_to_all(is_first ? 1000 : 2000)); });
        const Handle b =
            gpu.on(Stream{2}, [&] { gpu.collective(is_first ? two : one, all_to_all(is_first ? 2000 : 1000)); });
        gpu.wait(a);
        gpu.wait(b);
    });
    ASSERT_TRUE(simulation.result.ok()) << simulation.result.fault->message;
    EXPECT_EQ(simulation.end(), price_of(2000));
}

TEST_P(Communicators, TakeTheLargestSizeOfAnUnevenAllToAll) {
    const Simulation simulation = simulate(ranks(2, machine()), [](GPU& gpu) {
        gpu.collective(world(gpu).as_communicator(1), all_to_all(gpu.rank() == 0 ? 1000 : 1 << 24));
    });
    ASSERT_TRUE(simulation.result.ok()) << simulation.result.fault->message;
    EXPECT_EQ(simulation.end(), price_of(1 << 24));
}

TEST_P(Communicators, DoNotTakeDifferentSizesOfOtherCollectives) {
    const ranks::Result result = ranks::launch(ranks(2, machine()), [](GPU& gpu) {
        gpu.collective(world(gpu).as_communicator(1),
                       {.kind = CollectiveKind::all_reduce, .size = Bytes{gpu.rank() == 0 ? 1000 : 2000}});
    });
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_THAT(result.fault.value_or(ranks::Fault{}).message, HasSubstr("collectives do not match"));
}

TEST_P(Communicators, ThatAMemberNeverComesToAreADeadlock) {
    const ranks::Result result = ranks::launch(ranks(2, machine()), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.wait(gpu.on(Stream{4}, [&] { gpu.collective(world(gpu).as_communicator(1), all_to_all(1000)); }));
        }
    });
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_THAT(
        result.fault.value_or(ranks::Fault{}).message,
        HasSubstr("all-to-all of 1000 B among ranks 0, 1   1 of 2 have come; missing: rank 1; rank 1 has finished"));
}

}  // namespace
