// Rank processes that pace themselves by the wall clock. Their precision is in docs/benchmarks.md; these properties
// hold on any machine.
#include "tests/cli/command.hpp"

#include <gtest/gtest.h>

namespace {

using nlohmann::json;

// Stages that compute concurrently: 15.5 s, compared with 32 s one after another.
constexpr const char* pipeline = "3d_pipeline_parallel --schedule gpipe --activation-units 0 --json --quiet";

TEST(WallClock, OfAPipelineIsNeverAheadOfSimulatedTime) {
    const json r = run_command(std::string(pipeline) + " --clock wall --time-scale 0.02").json();
    EXPECT_GE(r["wall_seconds"].get<double>(), 0.02 * r["simulated_seconds"].get<double>());
}

TEST(WallClock, ChangesNothingOfWhatIsSimulated) {
    const json wall = run_command(std::string(pipeline) + " --clock wall --time-scale 0.01").json();
    const json virtually = run_command(pipeline).json();
    for (const char* const key :
         {"simulated_seconds", "timeline_sha256", "weights_sha256", "bubble_fraction", "messages"}) {
        EXPECT_EQ(wall[key], virtually[key]) << key;
    }
}

TEST(WallClock, IsSharedByProcessesThatAreAllThereAtOnce) {
    const json r = run_command(std::string(pipeline) + " --clock wall --time-scale 0.01").json();
    std::set<int> pids;
    for (const json& rank : r["per_rank"]) {
        pids.insert(rank["pid"].get<int>());
    }
    EXPECT_EQ(pids.size(), 4U);
}

}  // namespace
