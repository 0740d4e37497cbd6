// A program written as a GOAL schedule, read back and run again finishes at the same times, on every network.
#include "libsim/interop/goal/from_program.hpp"
#include "libsim/interop/goal/run.hpp"
#include "libsim/interop/goal/text.hpp"
#include "libsim/interop/goal/to_program.hpp"
#include "libsim/interop/goal/write.hpp"
#include "tests/support/mixed_program.hpp"
#include "tests/support/simulate.hpp"
#include "tests/support/star.hpp"

#include <fmt/format.h>

#include <sstream>

namespace {

using namespace sim;
using namespace sim::test;

std::vector<Time> ends_of(const std::vector<RankTotals>& ranks) {
    std::vector<Time> ends;
    for (const RankTotals& totals : ranks) {
        ends.push_back(totals.end);
    }
    return ends;
}

goal::WrittenProgram through_text(const goal::WrittenProgram& written) {
    std::ostringstream text;
    goal::write_text(text, written.schedule, "a comment\nof two lines");
    return {goal::parse(text.str(), "x.goal"), written.sizes};
}

std::vector<Time> ends_of_schedule(const goal::WrittenProgram& written, const Cluster& cluster) {
    const replay::Recording recording(static_cast<int>(written.schedule.ranks.size()),
                                      goal::program_of(written.schedule, {.sizes = written.sizes}));
    return ends_of(recording.replay({.cluster = goal::with_time_as_work(cluster)}).ranks);
}

// Expects the program and its written schedule to end at the same times.
void expect_same_ends(const ranks::LaunchOptions& options, const ranks::Program& program, const std::string& what) {
    ranks::LaunchOptions recorded = options;
    recorded.record = true;
    recorded.on_log = nullptr;
    const ranks::Result result = ranks::launch(recorded, program);
    ASSERT_TRUE(result.ok()) << what << ": " << result.fault->message;
    const goal::WrittenProgram written = through_text(goal::write_down(*result.recording, options.cluster));
    EXPECT_EQ(ends_of_schedule(written, options.cluster), ends_of(result.ranks)) << what;
}

// gpu-py with another network.
Cluster with_network(const Network& network) {
    Cluster cluster = gpu_py();
    cluster.network = network;
    cluster.bytes_per_unit = 1000;
    return cluster;
}

const LogGP costs{.latency = Duration{1'000'000},
                  .overhead = Duration{200'000},
                  .gap = Duration{500'000},
                  .gap_per_byte = {40, 1},
                  .overhead_per_byte = {3, 1},
                  .eager_limit = Bytes{30'000}};

struct NetworkCase {
    const char* name;
    Cluster (*cluster)(int ranks);
    // Set if the kernel treats a collective by size as its messages, so that both slow down the same computations.
    bool may_slow_down = false;
    First first = First::all_send;
};

class GoalRoundTrip : public testing::TestWithParam<NetworkCase> {};

TEST_P(GoalRoundTrip, KeepsTheEndOfEveryRankOfRandomPrograms) {
    for (int ranks = 1; ranks <= 8; ++ranks) {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            Cluster cluster = GetParam().cluster(ranks);
            cluster.compute.slowdown = {1, 1.5};
            cluster.compute.overlap_slowdown = GetParam().may_slow_down && seed % 2 == 0 ? 1.25 : 1;
            expect_same_ends(
                {.ranks = ranks, .host = ranks::Host::fiber, .cluster = cluster},
                [seed](GPU& gpu) { mixed_program(gpu, seed, GetParam().first); },
                fmt::format("{} ranks, seed {}", ranks, seed));
        }
    }
}

const NetworkCase network_cases[] = {
    {"Uniform", [](int) { return gpu_py(); }},
    {"UniformWithBlockingSends",
     [](int) {
         Cluster cluster = gpu_py();
         cluster.blocking_sends = true;
         return cluster;
     },
     false, First::some_receive},
    {"LogGP", [](int) { return with_network(costs); }, false, First::some_receive},
    {"SharedLinks", [](int ranks) { return with_network(star(ranks).network); }, true},
};

INSTANTIATE_TEST_SUITE_P(Networks, GoalRoundTrip, testing::ValuesIn(network_cases),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
