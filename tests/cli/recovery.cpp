// Scenarios that continue after a fault, as a user runs them: exit codes, messages, and the weights.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace {

using nlohmann::json;
using testing::HasSubstr;

json report_of(const std::string& line) {
    const Said said = run_command(line + " --json --quiet");
    EXPECT_EQ(said.exit_code, 0) << line << "\n" << said.err;
    return said.exit_code == 0 ? said.json() : json{};
}

// A step takes 16.1 s; a checkpoint, after every second step, takes 2 s.
constexpr const char* training = "1d_data_parallel --steps 6 --checkpoint-every 2";
constexpr const char* times = "--detection-time 10s --repair-time 60s --restart-time 30s";

TEST(RecoveredRuns, OfAllScenariosEndWithTheWeightsOfTheUndisturbedRun) {
    for (const char* const scenario : {"0d_sequential", "1d_data_parallel --zero 3 --optimizer adam",
                                       "2d_tensor_parallel", "3d_pipeline_parallel --optimizer adam", "4d_hybrid"}) {
        for (const char* const host : {"process", "fiber"}) {
            const std::string line = fmt::format("{} --steps 3 --checkpoint-every 1 --host {}", scenario, host);
            const json undisturbed = report_of(line);
            const double end = undisturbed["simulated_seconds"];
            const json run =
                report_of(fmt::format("{} --on-fault restart --fault 'kill rank 0 at {}s'", line, 0.6 * end));
            EXPECT_EQ(run["recovery"]["lives"].size(), 2U) << line;
            EXPECT_EQ(run["weights_sha256"], undisturbed["weights_sha256"]) << line;
            EXPECT_EQ(run["loss"], undisturbed["loss"]) << line;
        }
    }
}

TEST(RecoveredRuns, TakeTheTimeOfTheirParts) {
    EXPECT_EQ(report_of(training)["simulated_seconds"], 100.6);  // 6 steps and 2 checkpoints
    // The checkpoint after step 2 is complete at 34.2 s. Step 4 ends at 66.4 s.
    const json run = report_of(fmt::format("{} {} --on-fault restart --fault 'kill rank 1 at 60s'", training, times));
    const json& first = run["recovery"]["lives"][0];
    EXPECT_EQ(first["end_seconds"], 70.0);
    EXPECT_EQ(first["steps"], 3);
    EXPECT_EQ(first["lost_steps"], 1);
    EXPECT_EQ(first["death"]["ranks"], json{1});
    const json& second = run["recovery"]["lives"][1];
    EXPECT_EQ(second["begin_seconds"], 160.0);
    EXPECT_EQ(second["first_step"], 2);
    EXPECT_EQ(run["simulated_seconds"], 226.4);  // 4 steps and a checkpoint after 160 s
    const json& lost = run["recovery"]["lost_seconds"];
    EXPECT_EQ(lost["checkpoints"], 4.0);
    EXPECT_EQ(lost["lost_work"], 25.8);
    EXPECT_EQ(lost["detection"], 10.0);
    EXPECT_EQ(lost["repair"], 60.0);
    EXPECT_EQ(lost["restart"], 30.0);
    EXPECT_DOUBLE_EQ(run["recovery"]["effective_share"].get<double>(), 6 * 16.1 / 226.4);
}

TEST(RecoveredRuns, TellTheBestIntervalForTheTimeBetweenFaults) {
    // 2 steps of 16.1 s; sqrt(2 x 2 s x 900 s) = 60 s.
    const json intervals = report_of(fmt::format("{} --mtbf 15min", training))["recovery"]["interval_seconds"];
    EXPECT_DOUBLE_EQ(intervals["own"].get<double>(), 32.2);
    EXPECT_EQ(intervals["young"], 60.0);
    EXPECT_NEAR(intervals["daly"].get<double>(), 60 * (1 + std::sqrt(1.0 / 900) / 3 + 1.0 / 8100) - 2, 1e-9);
    const Said said = run_command(fmt::format("{} --mtbf 15min --quiet", training));
    EXPECT_THAT(said.out, HasSubstr("with a fault every 900 s on average Young's optimum is 60.000 s (4 steps)"));
}

TEST(RecoveredRuns, WithSparesNeedNoRepairAsLongAsThereAreSome) {
    const std::string line =
        fmt::format("{} {} --on-fault spare --spares 1 --fault 'kill rank 1 at 60s' --fault 'kill rank 2 at 150s'",
                    training, times);
    const json run = report_of(line);
    EXPECT_EQ(run["recovery"]["lives"][1]["begin_seconds"], 100.0);
    EXPECT_EQ(run["recovery"]["lives"][2]["begin_seconds"], 250.0);
    EXPECT_EQ(run["recovery"]["lost_seconds"]["repair"], 60.0);
}

TEST(RecoveredRuns, OfElasticTrainingHaveFewerReplicas) {
    const json run = report_of(fmt::format("{} --on-fault elastic --fault 'kill rank 1 at 60s'", training));
    EXPECT_EQ(run["recovery"]["lives"][1]["ranks"], 3);
    EXPECT_LE(run["max_weight_difference"].get<double>(), 1e-9);
}

TEST(RecoveredRuns, SayWhatWasLostAndWhy) {
    const Said said =
        run_command(fmt::format("{} {} --on-fault restart --fault 'kill rank 1 at 60s' --quiet", training, times));
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("0.000 s to 70.000 s, from step 1; rank 1 died at 60.000 s: 1 step was lost"));
    EXPECT_THAT(said.out, HasSubstr("160.000 s to 226.400 s, from step 3 to the end"));
    EXPECT_THAT(said.out,
                HasSubstr("effective        42.7 % of the time went into steps that count; the rest: checkpoints "
                          "4.000 s, lost work 25.800 s, detection 10.000 s, repair 60.000 s, restart 30.000 s"));
}

TEST(RecoveredRuns, ShowTheTimeBetweenLivesInTheirTrace) {
    const TemporaryFolder folder;
    const std::string trace = folder.file("trace.csv");
    const Said said = run_command(fmt::format(
        "{} {} --on-fault restart --fault 'kill rank 1 at 60s' --quiet --trace {}", training, times, trace));
    EXPECT_EQ(said.exit_code, 0) << said.err;
    const std::string spans = content_of(trace);
    for (const char* const label : {"checkpoint", "detection", "repair", "restart"}) {
        EXPECT_THAT(spans, HasSubstr(label));
    }
}

TEST(RunsWithoutAPolicy, EndWithTheFault) {
    const Said said = run_command(fmt::format("{} --fault 'kill rank 1 at 60s' --quiet", training));
    EXPECT_EQ(said.exit_code, 4);
}

TEST(RunsThatShrinkToNothing, EndWithTheFault) {
    const Said said = run_command(
        "1d_data_parallel --ranks 2 --steps 3 --on-fault elastic --fault 'kill rank 0 at 5s' "
        "--fault 'kill rank 1 at 20s' --quiet");
    EXPECT_EQ(said.exit_code, 4) << said.err;
}

TEST(RecoveryOptions, ThatCannotBeAreRefusedInOneLine) {
    EXPECT_THAT(refusal("2d_tensor_parallel --on-fault elastic"), HasSubstr("it needs --dp 2 or more"));
    EXPECT_THAT(
        refusal("4d_hybrid --items 12 --dp 3 --ep 1 --micro-batches 4 --on-fault elastic --fault 'kill rank 0 at 1s'"),
        HasSubstr("--on-fault elastic: the faults leave dp 2"));
    EXPECT_THAT(refusal("1d_data_parallel --checkpoint-time 1s"), HasSubstr("--checkpoint-every"));
    EXPECT_THAT(refusal("1d_data_parallel --repair-time 1s"), HasSubstr("--on-fault restart"));
    EXPECT_THAT(refusal("1d_data_parallel --on-fault restart --spares 1"), HasSubstr("--on-fault spare"));
    EXPECT_THAT(refusal("1d_data_parallel --checkpoint-every 1 --checkpoint-time 2"),
                HasSubstr("--checkpoint-time must be a time with its unit, such as 500ms, 2s or 10min, not \"2\""));
    EXPECT_THAT(refusal("1d_data_parallel --on-fault retry"), HasSubstr("abort or restart or spare or elastic"));
    EXPECT_THAT(refusal("1d_data_parallel --on-fault restart --goal out.goal"), HasSubstr("exclude each other"));
}

}  // namespace
