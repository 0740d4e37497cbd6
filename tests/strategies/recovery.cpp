// For any parallelism and any time of death, a training resumed from its checkpoints ends with the weights of the
// undisturbed run, bit by bit; with fewer replicas, with those of one rank.
#include "scenarios/run/checks.hpp"
#include "tests/strategies/strategy_run.hpp"

#include <fmt/format.h>

namespace {

using namespace sim;
using namespace sim::test;
using ranks::Host;

// A rank that dies at this fraction of the undisturbed run's time.
struct DeathAt {
    int rank = 0;
    double share = 0;
};

ranks::Recovered recovered(const scenarios::Options& options, Host host, Time end, const std::vector<DeathAt>& deaths) {
    ranks::LaunchOptions launch{.ranks = options.ranks, .host = host};
    for (const DeathAt& death : deaths) {
        launch.faults.emplace_back(faults::KillRank{death.rank, Time{duration_of_seconds(death.share * seconds(end))}});
    }
    ranks::RecoveryPolicy policy = options.recovery;
    policy.survivors = [&](int ranks, const std::vector<int>& dead) {
        return scenarios::living_replicas(options, ranks, dead);
    };
    return ranks::launch_with_recovery(launch, policy, [&](GPU& gpu, const ranks::Start& start) {
        lesson::train(gpu, scenarios::options_of_life(options, start.places), start);
    });
}

void expect_the_weights_of_the_undisturbed_run(const std::string& line, Host host,
                                               const std::vector<std::vector<DeathAt>>& cases) {
    const scenarios::Options options = options_of(line + " --checkpoint-every 1 --on-fault restart");
    const ranks::Result undisturbed = launched(options, host);
    for (const std::vector<DeathAt>& deaths : cases) {
        const ranks::Recovered run = recovered(options, host, undisturbed.end, deaths);
        ASSERT_TRUE(run.result.ok()) << line << "\n" << run.result.fault->message;
        EXPECT_EQ(run.lives.size(), 1 + deaths.size()) << line;
        EXPECT_EQ(run.result.reports, undisturbed.reports) << line << ", first death at " << deaths.front().share;
    }
}

const std::vector<std::string>& all_kinds() {
    static const std::vector<std::string> lines{
        "1d_data_parallel --steps 4",
        "1d_data_parallel --ranks 4 --steps 4",
        "1d_data_parallel --ranks 4 --steps 4 --optimizer adam --overlap --buckets 2",
        "1d_data_parallel --ranks 4 --steps 4 --optimizer adam --zero 1",
        "1d_data_parallel --ranks 4 --steps 4 --optimizer adam --zero 2 --overlap",
        "1d_data_parallel --ranks 4 --steps 4 --optimizer adam --zero 3 --overlap",
        "1d_data_parallel --ranks 4 --steps 4 --compress top-k --compress-fraction 0.25",
        "1d_data_parallel --ranks 2 --steps 4 --compress 16-bit --checkpoint async",
        "4d_hybrid --tp 4 --steps 4 --optimizer adam --checkpoint async",
        "4d_hybrid --tp 2 --dp 2 --steps 4 --sequence-parallel",
        "4d_hybrid --pp 4 --steps 4 --optimizer adam --loss cross-entropy",
        "4d_hybrid --pp 2 --chunks 2 --schedule interleaved --steps 4 --checkpoint async",
        "4d_hybrid --dp 2 --tp 2 --pp 2 --ep 2 --items 32 --steps 3 --optimizer adam",
        "4d_hybrid --dp 2 --ep 2 --steps 4 --optimizer adam --zero 3",
        "4d_hybrid --dp 2 --cp 2 --steps 4 --optimizer adam --zero 1",
    };
    return lines;
}

TEST(RecoveredWeights, AreThoseOfTheUndisturbedRunBitByBit) {
    for (const std::string& line : all_kinds()) {
        expect_the_weights_of_the_undisturbed_run(
            line, Host::fiber, {{{0, 0}}, {{0, 0.3}}, {{0, 0.55}}, {{0, 0.97}}, {{0, 0.4}, {0, 0.9}}});
    }
}

TEST(RecoveredWeights, AreThoseOfTheUndisturbedRunWhereProcessesAreKilled) {
    for (const std::string& line : all_kinds()) {
        expect_the_weights_of_the_undisturbed_run(line, Host::process, {{{0, 0.6}}});
    }
}

TEST(RecoveredWeights, ComeWithOneTimelineFromProcessesAndFibers) {
    for (const char* const line : {"1d_data_parallel --ranks 4 --steps 3 --checkpoint async",
                                   "4d_hybrid --dp 2 --pp 2 --steps 3 --optimizer adam"}) {
        const scenarios::Options options =
            options_of(std::string(line) + " --checkpoint-every 1 --on-fault restart --detection-time 1s");
        const Time end = launched(options, Host::fiber).end;
        const auto fibers = recovered(options, Host::fiber, end, {{1, 0.5}, {2, 0.9}});
        const auto processes = recovered(options, Host::process, end, {{1, 0.5}, {2, 0.9}});
        EXPECT_EQ(fibers.result.timeline_sha256, processes.result.timeline_sha256) << line;
        EXPECT_EQ(fibers.result.reports, processes.result.reports) << line;
    }
}

// The second death comes after the mesh has shrunk.
TEST(RecoveredWeights, WithFewerReplicasAreThoseOfOneRank) {
    for (const char* const line :
         {"1d_data_parallel --ranks 4 --steps 5", "1d_data_parallel --ranks 4 --steps 5 --optimizer adam --zero 1",
          "1d_data_parallel --ranks 4 --steps 5 --optimizer adam --zero 2 --overlap",
          "1d_data_parallel --ranks 4 --steps 5 --optimizer adam --zero 3",
          "4d_hybrid --dp 4 --tp 2 --steps 5 --items 48 --optimizer adam --micro-batches 2",
          "4d_hybrid --dp 4 --pp 2 --steps 5 --items 48 --optimizer adam --zero 3 --micro-batches 2",
          "4d_hybrid --dp 3 --ep 2 --steps 5 --items 48 --optimizer adam --zero 2 --micro-batches 2"}) {
        const scenarios::Options options = options_of(std::string(line) + " --checkpoint-every 1 --on-fault elastic");
        const Time end = launched(options, Host::fiber).end;
        ranks::Recovered run = recovered(options, Host::fiber, end, {{1, 0.45}, {2, 0.95}});
        ASSERT_TRUE(run.result.ok()) << line << "\n" << run.result.fault->message;
        ASSERT_GE(run.lives.size(), 2U) << line;
        EXPECT_GT(run.lives.back().first_step, 0) << line;
        EXPECT_LT(run.lives.back().places.size(), static_cast<std::size_t>(options.ranks)) << line;
        const scenarios::Outcome outcome =
            scenarios::outcome_of(line, options, gpu_py(), std::move(run.result), std::move(run.lives));
        EXPECT_LE(outcome.max_weight_difference, 1e-9) << line;
    }
}

}  // namespace
