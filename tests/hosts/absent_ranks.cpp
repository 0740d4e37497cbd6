// Ranks that do not run have a place in the world but no program, on both hosts.
#include "libsim/network/nccl.hpp"
#include "tests/support/simulate.hpp"

namespace {

using namespace sim;
using namespace sim::test;
using testing::HasSubstr;

class AbsentRanks : public OnBothHosts {
protected:
    Simulation run(ranks::LaunchOptions options, std::vector<int> running, const Program& program) {
        options.running = std::move(running);
        return simulate(options, program);
    }
};
INSTANTIATE_TEST_SUITE_P(Hosts, AbsentRanks, both_hosts(), host_name);

Cluster machine() {
    Cluster cluster{.name = "machine", .network = Nccl{.within = 369e9, .across = 48e9}, .bytes_per_unit = 1000};
    cluster.compute.per_billionth_unit = Pace{1, 1000};
    return cluster;
}

TEST_P(AbsentRanks, HaveNoProcessAndEndAtOnce) {
    const Simulation simulation =
        run(ranks(1000, machine()), {3, 700}, [](GPU& gpu) { gpu.compute("work", Units{1.0 + gpu.rank()}); });
    ASSERT_TRUE(simulation.result.ok()) << simulation.result.fault->message;
    EXPECT_EQ(simulation.spans[3].size(), 1U);
    EXPECT_TRUE(simulation.spans[4].empty());
    for (int rank = 0; rank < 1000; ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        EXPECT_EQ(simulation.result.pids[index] != 0, rank == 3 || rank == 700) << rank;
    }
    EXPECT_EQ(simulation.result.ranks[3].compute, Duration{4'000'000});
    EXPECT_EQ(simulation.result.ranks[700].compute, Duration{701'000'000});
    EXPECT_EQ(simulation.result.ranks[4].compute, Duration{0});
}

TEST_P(AbsentRanks, AreStoodForAtTheirPlacesInTheMachine) {
    constexpr std::int64_t bytes = 1 << 20;
    const Simulation simulation = run(ranks(16, machine()), {0, 8}, [](GPU& gpu) {
        const Group both = Group::of({0, 8}).standing_for(Group::strided(0, 1, 16)).as_communicator(1);
        gpu.collective(both, {.kind = CollectiveKind::all_reduce, .size = Bytes{bytes}});
    });
    ASSERT_TRUE(simulation.result.ok()) << simulation.result.fault->message;
    EXPECT_EQ(simulation.end(), nccl_time(*machine().network.as<Nccl>(), CollectiveKind::all_reduce, bytes,
                                          {.members = 16, .on_node = 8}));
}

TEST_P(AbsentRanks, WaitInVainWhoWaitsForThem) {
    const Simulation simulation = run(ranks(4, machine()), {2}, [](GPU& gpu) { gpu.receive(1, "news", Units{1}); });
    ASSERT_TRUE(simulation.result.fault);
    EXPECT_EQ(simulation.result.exit_code(), 3);
    EXPECT_THAT(simulation.result.fault->message, HasSubstr("rank 2"));
}

TEST_P(AbsentRanks, AreNoneOfThoseThatRun) {
    const auto refusal = [&](std::vector<int> running, std::vector<faults::Injection> faults) {
        ranks::LaunchOptions options = ranks(4, machine());
        options.faults = std::move(faults);
        try {
            run(options, std::move(running), [](GPU&) {});
        } catch (const std::invalid_argument& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    EXPECT_EQ(refusal({0, 4}, {}), "rank 4 cannot run: there are ranks 0 to 3");
    EXPECT_EQ(refusal({-1, 3}, {}), "rank -1 cannot run: there are ranks 0 to 3");
    EXPECT_EQ(refusal({2, 1}, {}), "the ranks that run must ascend");
    EXPECT_EQ(refusal({1, 1}, {}), "the ranks that run must ascend");
    EXPECT_EQ(refusal({0, 2}, {faults::KillRank{.rank = 1, .at = Time{}}}),
              "kill rank 1 at 0s: rank 1 is not one of those that run");
    EXPECT_EQ(refusal({0, 2}, {faults::KillRank{.rank = 2, .at = Time{Duration{1'000'000}}}}), "none");
}

}  // namespace
