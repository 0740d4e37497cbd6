// ndsim explain of a scenario's run, from outside: with real processes, one of which is really killed.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

namespace {

using nlohmann::json;
using testing::HasSubstr;

json sections_of(const std::string& line) {
    const Said said = run_command("ndsim explain " + line + " --json");
    EXPECT_EQ(said.exit_code, 0) << line << "\n" << said.err;
    return said.json()["sections"];
}

json figure(const json& section, const std::string& key) {
    return section["figures"][key]["value"];
}

void for_each_same(const json& value, const std::function<void(const json&)>& visit) {
    if (value.is_object() && value.contains("same_as") && value["same_as"].is_string()) {
        visit(value);
    }
    if (value.is_structured()) {
        for (const json& part : value) {
            for_each_same(part, visit);
        }
    }
}

class ExplainedRun : public testing::TestWithParam<const char*> {};

TEST_P(ExplainedRun, HasEveryFigureThatTheScenarioHasToTheLastBit) {
    const json explained = run_command(std::string("ndsim explain ") + GetParam() + " --json").json();
    const json result = run_command(std::string(GetParam()) + " --quiet --json").json();
    EXPECT_EQ(explained["scenario"], result["scenario"]);
    EXPECT_EQ(explained["explains"], GetParam());
    std::set<std::string> shared;
    for_each_same(explained, [&](const json& one) {
        const auto pointer = one["same_as"].get<std::string>();
        shared.insert(pointer);
        ASSERT_TRUE(result.contains(json::json_pointer(pointer))) << pointer;
        EXPECT_EQ(one["value"], result.at(json::json_pointer(pointer))) << pointer;
    });
    for (const char* const pointer :
         {"/simulated_seconds", "/speedup", "/efficiency", "/sequential_seconds", "/bubble_fraction", "/messages",
          "/per_rank/0/idle_seconds", "/per_rank/0/peak_memory_units", "/timeline_sha256"}) {
        EXPECT_TRUE(shared.contains(pointer)) << pointer;
    }
}

// GPU-seconds, in whole picoseconds.
TEST_P(ExplainedRun, SplitsTheTimeOfAllGpusWithoutARest) {
    const json rows = sections_of(std::string(GetParam()))["speedup"]["tables"]["losses"]["rows"];
    std::int64_t sum = 0;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        sum += std::llround(1e12 * rows[i]["gpu_seconds"]["value"].get<double>());
    }
    EXPECT_EQ(sum, std::llround(1e12 * rows.back()["gpu_seconds"]["value"].get<double>()));
}

// The parts of each rank's memory add up to its peak.
TEST_P(ExplainedRun, SplitsTheMemoryOfEachRankWithoutARest) {
    const json rows = sections_of(std::string(GetParam()))["memory"]["tables"]["processes"]["rows"];
    for (const json& row : rows) {
        double sum = 0;
        for (const auto& [key, cell] : row.items()) {
            sum += key == "rank" || key == "total" ? 0 : cell["value"].get<double>();
        }
        EXPECT_EQ(std::llround(1e9 * sum), std::llround(1e9 * row["total"]["value"].get<double>()));
    }
}

INSTANTIATE_TEST_SUITE_P(Of, ExplainedRun,
                         testing::Values("0d_sequential", "1d_data_parallel", "1d_data_parallel --steps 2 --zero 3",
                                         "1d_data_parallel --ranks 8 --overlap --buckets 4",
                                         "2d_tensor_parallel --sequence-parallel",
                                         "3d_pipeline_parallel --schedule interleaved", "4d_hybrid --host fiber"));

TEST(ExplainRun, KillsARealProcessAndNamesWhoWaitsForIt) {
    const json failures = sections_of("1d_data_parallel")["failures"];
    // The default is the middle rank, in the middle of 16.1 s: it is in its first ring step, which ends at 9.3 s.
    EXPECT_EQ(figure(failures, "killed_rank"), 2);
    EXPECT_EQ(figure(failures, "signal"), 9);
    EXPECT_EQ(figure(failures, "died_seconds"), 9.3);
    EXPECT_EQ(figure(failures, "waiting"), 3);
    EXPECT_EQ(figure(failures, "lost_seconds"), 4 * 9.3);
    const json rows = failures["tables"]["waiting"]["rows"];
    ASSERT_EQ(rows.size(), 3U);
    // Rank 3 waits for rank 2's message after it has sent its own at 8 + 1.3 s and received one 1.35 s later.
    EXPECT_EQ(rows[2]["rank"]["value"], 3);
    EXPECT_EQ(rows[2]["for"]["value"], 2);
    EXPECT_EQ(rows[2]["since"]["value"], 10.65);
    EXPECT_EQ(rows[0]["for"]["value"], 3);
    const std::string pid = std::to_string(figure(failures, "killed_pid").get<int>());
    EXPECT_THAT(failures["drawing"][0].get<std::string>(),
                HasSubstr("rank 2 (pid " + pid + ") was killed by signal 9 after op 4, at 9.3 s, as was asked"));
}

TEST(ExplainRun, KillsWhomTheUserNames) {
    const json failures = sections_of("3d_pipeline_parallel --fault 'kill rank 0 at 0s'")["failures"];
    EXPECT_EQ(figure(failures, "killed_rank"), 0);
    EXPECT_EQ(figure(failures, "died_seconds"), 0.0);
    EXPECT_EQ(figure(failures, "waiting"), 3);
}

TEST(ExplainRun, ShowsTheRealTreeOfProcesses) {
    const json processes = sections_of("2d_tensor_parallel")["processes"];
    const json rows = processes["tables"]["processes"]["rows"];
    ASSERT_EQ(rows.size(), 5U);
    std::set<int> pids;
    for (std::size_t rank = 1; rank < rows.size(); ++rank) {
        EXPECT_EQ(rows[rank]["parent"]["value"], rows[0]["pid"]["value"]);
        EXPECT_GT(rows[rank]["resident"]["value"], 100'000);
        pids.insert(rows[rank]["pid"]["value"].get<int>());
    }
    EXPECT_EQ(pids.size(), 4U);
    ASSERT_EQ(processes["drawing"].size(), 6U);
    EXPECT_THAT(processes["drawing"][5].get<std::string>(), HasSubstr("└─ rank 3 (pid "));
    EXPECT_TRUE(sections_of("2d_tensor_parallel --host fiber")["processes"]["tables"].empty());
}

// Four replicas load 4 items each per step, 4 x 1 s; the step takes 16.1 s.
TEST(ExplainRun, SimulatesTheLoadingOfItsSteps) {
    const json input =
        sections_of("1d_data_parallel --sample-seconds 1 --sample-bytes 12e9 --loader-workers 2")["input"];
    EXPECT_EQ(figure(input, "load_seconds"), 4.0);
    EXPECT_EQ(figure(input, "copy_seconds"), 4.0);
    const json ways = input["tables"]["ways"]["rows"];
    // Without pinned memory the copy takes 4 s / 0.4.
    EXPECT_DOUBLE_EQ(ways[0]["seconds"]["value"], 16.1 + 4 + 10);
    EXPECT_DOUBLE_EQ(ways[1]["seconds"]["value"], 16.1 + 10);
    EXPECT_DOUBLE_EQ(ways[2]["seconds"]["value"], 16.1 + 4);
    EXPECT_DOUBLE_EQ(ways[3]["seconds"]["value"], 16.1);
}

// Every command of the advice gives the time that it promises.
TEST(ExplainRun, AdvisesWhatItHasRun) {
    for (const char* const line : {"1d_data_parallel", "3d_pipeline_parallel", "2d_tensor_parallel --items 8"}) {
        const json explained = sections_of(line);
        const json rows = explained["advice"]["tables"]["tried"]["rows"];
        ASSERT_FALSE(rows.empty()) << line;
        for (const json& row : rows) {
            const std::string command = row["command"]["value"].get<std::string>();
            const json again = run_command(command + " --quiet --json").json();
            EXPECT_EQ(again["simulated_seconds"], row["seconds"]["value"]) << command;
        }
    }
}

TEST(ExplainRun, RefusesWhatIsNoneOfItsOptionsAndSaysWhoseItIs) {
    EXPECT_THAT(refusal("ndsim explain 1d_data_paralel"), HasSubstr("did you mean 1d_data_parallel?"));
    EXPECT_THAT(refusal("ndsim explain 1d_data_parallel --watch"),
                HasSubstr("--watch is not an option of ndsim explain: give it to 1d_data_parallel itself"));
    EXPECT_THAT(refusal("ndsim explain 1d_data_parallel --scaling 1,2"), HasSubstr("--scaling is not an option of"));
    EXPECT_THAT(refusal("ndsim explain 1d_data_parallel --itms 4"), HasSubstr("1d_data_parallel: "));
    EXPECT_THAT(refusal("ndsim explain 1d_data_parallel --fault 'kill rank 9 at 1s'"), HasSubstr("there is no rank 9"));
    EXPECT_THAT(refusal("ndsim explain 1d_data_parallel --loader-workers -1"), HasSubstr("--loader-workers"));
}

}  // namespace
