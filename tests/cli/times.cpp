// Simulated times against closed forms, for both hosts.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace {

using nlohmann::json;

json report(const std::string& line) {
    const Said said = run_command(line + " --json --quiet");
    EXPECT_EQ(said.exit_code, 0) << line << "\n" << said.err;
    EXPECT_EQ(said.err, "") << line;
    return said.exit_code == 0 ? said.json() : json{};
}

TEST(Sequential, Takes32SecondsOfSimulatedTime) {
    const json r = report("0d_sequential");
    EXPECT_EQ(r["simulated_seconds"], 32.0);
    EXPECT_EQ(r["sequential_seconds"], 32.0);
    EXPECT_EQ(r["speedup"], 1.0);
    EXPECT_EQ(r["max_weight_difference"], 0.0);
    EXPECT_EQ(r["messages"], 0);
}

TEST(DataParallel, OnFourRanksTakes16Point1Seconds) {
    // 4 items x 2 s, then 6 steps of 0.05 s + 125 x 0.01 s + 0.05 s
    const json r = report("1d_data_parallel");
    EXPECT_EQ(r["simulated_seconds"], 16.1);
    EXPECT_EQ(r["sequential_seconds"], 32.0);
    EXPECT_EQ(r["speedup"], 32.0 / 16.1);
    EXPECT_EQ(r["messages"], 24);
    for (const json& rank : r["per_rank"]) {
        EXPECT_EQ(rank["compute_seconds"], 8.0);
        EXPECT_EQ(rank["communication_seconds"], 8.1);
        EXPECT_EQ(rank["idle_seconds"], 0.0);
        EXPECT_EQ(rank["units_sent"], 750.0);
        EXPECT_EQ(rank["messages_sent"], 6);
    }
}

TEST(Pipeline, OnANetworkForNothingHasTheBubbleOfItsClosedForm) {
    const TemporaryFolder folder;
    const std::string profile = folder.with("p.toml", R"(kind = "units"
        [compute]
        seconds_per_unit = 0.1
        [network]
        latency_seconds = 0
        seconds_per_data_unit = 0)");
    struct Case {
        std::string options;
        double simulated;
        double bubble;
    };
    // A micro-batch of 16 / m items takes 32 / (4 m) s on one of 4 stages; a step lasts (m + p - 1) of them.
    const Case cases[] = {{"--schedule gpipe", 14, 3.0 / 7},
                          {"--schedule 1f1b", 14, 3.0 / 7},
                          {"--schedule gpipe --micro-batches 16", 9.5, 3.0 / 19},
                          {"--schedule 1f1b --micro-batches 16", 9.5, 3.0 / 19},
                          {"--schedule interleaved --layers 8", 11, 3.0 / 11}};  // half the bubble: 8 + 6 / 2 s
    for (const Case& c : cases) {
        const json r = report(fmt::format("3d_pipeline_parallel --profile '{}' {}", profile, c.options));
        EXPECT_EQ(r["simulated_seconds"], c.simulated) << c.options;
        EXPECT_DOUBLE_EQ(r["bubble_fraction"].get<double>(), c.bubble) << c.options;
        EXPECT_LE(r["max_weight_difference"].get<double>(), 1e-9) << c.options;
    }
    EXPECT_EQ(report("2d_tensor_parallel")["bubble_fraction"], 0.0);
}

struct Costs {
    std::string profile = "gpu-py";
    std::int64_t compute_ps = 100'000'000'000;  // per unit
    std::int64_t latency_ps = 50'000'000'000;
    std::int64_t acknowledgement_ps = 50'000'000'000;
    std::int64_t data_ps = 10'000'000'000;  // per unit
};

// Shares are charged in billionths of a unit, rounded up.
std::int64_t closed_form_ps(const Costs& costs, int ranks, int items, int compute_units, int gradient_units) {
    const std::int64_t share = (items + ranks - 1) / ranks;
    const std::int64_t chunk = (std::int64_t{gradient_units} * 1'000'000'000 + ranks - 1) / ranks;
    const std::int64_t transfer = (chunk * (costs.data_ps / 1'000) + 999'999) / 1'000'000;
    return share * compute_units * costs.compute_ps +
           2 * (ranks - 1) * (costs.latency_ps + transfer + costs.acknowledgement_ps);
}

void expect_closed_form(const Costs& costs, int ranks, int items, int compute_units, int gradient_units) {
    const std::string options =
        fmt::format("1d_data_parallel --ranks {} --items {} --compute-units {} --gradient-units {} --profile '{}'",
                    ranks, items, compute_units, gradient_units, costs.profile);
    const json processes = report(options);
    const json fibers = report(options + " --host fiber");
    const std::int64_t expected = closed_form_ps(costs, ranks, items, compute_units, gradient_units);
    EXPECT_EQ(processes["simulated_seconds"].get<double>(), static_cast<double>(expected) / 1e12) << options;
    EXPECT_EQ(processes["timeline_sha256"], fibers["timeline_sha256"]) << options;
    EXPECT_EQ(processes["weights_sha256"], fibers["weights_sha256"]) << options;
    EXPECT_EQ(processes["simulated_seconds"], fibers["simulated_seconds"]) << options;
    EXPECT_LE(processes["max_weight_difference"].get<double>(), 1e-9) << options;
}

TEST(DataParallel, EqualsItsClosedFormOnOneToSixteenRanks) {
    for (int ranks = 1; ranks <= 16; ++ranks) {
        expect_closed_form({}, ranks, 16, 20, 500);
    }
}

TEST(DataParallel, EqualsItsClosedFormForOtherSizes) {
    expect_closed_form({}, 3, 7, 5, 100);
    expect_closed_form({}, 7, 100, 1, 999);
    expect_closed_form({}, 16, 17, 3, 1);
    expect_closed_form({}, 5, 5, 0, 0);
}

TEST(DataParallel, EqualsItsClosedFormForOtherProfiles) {
    const TemporaryFolder folder;
    const std::string profile = folder.with("p.toml", R"(kind = "units"
        [compute]
        seconds_per_unit = 0.25
        [network]
        latency_seconds = 0.001
        seconds_per_data_unit = 0.003)");
    const Costs costs{profile, 250'000'000'000, 1'000'000'000, 1'000'000'000, 3'000'000'000};
    for (const int ranks : {1, 2, 3, 8, 13}) {
        expect_closed_form(costs, ranks, 20, 7, 333);
    }
}

TEST(DataParallel, WaitsForASlowRank) {
    const TemporaryFolder folder;
    const std::string profile = folder.with("p.toml", R"(kind = "units"
        [compute]
        seconds_per_unit = 0.1
        slowdown = [1.0, 1.0, 2.5]
        [network]
        latency_seconds = 0
        seconds_per_data_unit = 0)");
    const json r = report("1d_data_parallel --profile '" + profile + "'");
    EXPECT_EQ(r["simulated_seconds"], 20.0);  // 4 items x 2 s x 2.5
    EXPECT_EQ(r["per_rank"][2]["idle_seconds"], 0.0);
    EXPECT_EQ(r["per_rank"][0]["idle_seconds"], 12.0);
}

TEST(Scenarios, TimesOfEveryRankAddUpToTheRun) {
    const json r = report("1d_data_parallel --ranks 5 --items 13 --steps 3 --gradient-units 77");
    for (const json& rank : r["per_rank"]) {
        const double sum = rank["compute_seconds"].get<double>() + rank["communication_seconds"].get<double>() +
                           rank["idle_seconds"].get<double>();
        EXPECT_NEAR(sum, r["simulated_seconds"].get<double>(), 1e-9);
    }
}

TEST(Scenarios, TrainTheSameWeightsForEverySeedLayerCountAndUnevenShares) {
    for (const char* options :
         {"--seed 2", "--layers 1", "--layers 9 --steps 5", "--items 19 --steps 20", "--steps 100"}) {
        const json alone = report(fmt::format("0d_sequential {}", options));
        const json parallel = report(fmt::format("1d_data_parallel --ranks 3 {}", options));
        EXPECT_EQ(alone["max_weight_difference"], 0.0);
        EXPECT_LE(parallel["max_weight_difference"].get<double>(), 1e-9) << options;
        EXPECT_EQ(alone["simulated_seconds"], parallel["sequential_seconds"]) << options;
        EXPECT_NEAR(alone["loss"].get<double>(), parallel["loss"].get<double>(), 1e-12) << options;
        EXPECT_LT(alone["loss"].get<double>(), alone["loss_before"].get<double>()) << options;
    }
}

TEST(Scenarios, DependOnTheSeed) {
    EXPECT_NE(report("0d_sequential --seed 1")["weights_sha256"], report("0d_sequential --seed 2")["weights_sha256"]);
    EXPECT_EQ(report("0d_sequential --seed 1")["timeline_sha256"], report("0d_sequential --seed 2")["timeline_sha256"]);
}

TEST(Scenarios, WaitInStepWithTheWallsClockIfAsked) {
    const json r = report("1d_data_parallel --clock wall --time-scale 0.01");
    EXPECT_EQ(r["simulated_seconds"], 16.1);
    EXPECT_GE(r["wall_seconds"].get<double>(), 0.161);
    EXPECT_EQ(r["timeline_sha256"], report("1d_data_parallel")["timeline_sha256"]);
}

}  // namespace
