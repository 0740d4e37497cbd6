// ndsim compare of three or more scenarios: the table at the end of tools/demo.sh, made from --json output alone.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// Runs each line with --json and compares the results.
Said compare(const std::vector<std::string>& lines, const std::string& options = "") {
    const TemporaryFolder folder;
    std::string files;
    for (const std::string& line : lines) {
        const Said said = run_command(line + " --json --quiet --host fiber");
        EXPECT_EQ(said.exit_code, 0) << line << "\n" << said.err;
        files += " '" + folder.with(std::to_string(files.size()) + ".json", said.out) + "'";
    }
    return run_command("ndsim compare" + files + options);
}

const std::vector<std::string> all_five{"0d_sequential", "1d_data_parallel", "2d_tensor_parallel",
                                        "3d_pipeline_parallel", "4d_hybrid"};

// Five layouts of a model, which a course compares.
TEST(CompareSeveral, ShowsTheTimeAndTheMemoryOfPredictedSteps) {
    const TemporaryFolder folder;
    std::string files;
    std::vector<nlohmann::json> results;
    for (const std::string layout : {"", "--zero 3", "--tp 2", "--pp 2", "--recompute full"}) {
        const Said said = run_command("ndsim train --model llama3.2-1b --gpus 8 --global-batch 16 --json " + layout);
        results.push_back(said.json());
        files += " '" + folder.with(std::to_string(results.size()) + ".json", said.out) + "'";
    }
    EXPECT_THAT(run_command("ndsim compare" + files).out, HasSubstr("100.0 %"));
    const nlohmann::json steps = run_command("ndsim compare --json" + files).json()["steps"];
    ASSERT_EQ(steps.size(), results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        EXPECT_EQ(steps[i]["step_seconds"], results[i]["step_seconds"]) << i;
        EXPECT_EQ(steps[i]["peak_memory_bytes"], results[i]["memory"]["peak"]) << i;
    }
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

TEST(CompareSeveral, ShowsWhereTheTimeOfEachScenarioWent) {
    const Said said = compare({"0d_sequential", "1d_data_parallel", "1d_data_parallel --overlap"});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, ContainsRegex("0d_sequential +- +1 +1 +32.000 s +1.00x +100.0 % +32.000 s +0.000 s +0.000 s"
                                        " +0.000 s\n"));
    EXPECT_THAT(said.out, ContainsRegex("1d_data_parallel +dp 4 +4 +1 +16.100 s +1.99x +49.7 % +8.000 s +8.100 s"
                                        " +0.000 s +0.000 s\n"));
    EXPECT_THAT(said.out, ContainsRegex("1d_data_parallel +750 +24 .* yes +[0-9.]+ s\n"));
    EXPECT_THAT(said.out, Not(HasSubstr("experts")));
}

TEST(CompareSeveral, KeepsTheBubbleApartFromOtherWaiting) {
    // On a free network, 4 stages with 4 micro-batches take (4 + 3) x 2 s, of which each stage computes 8 s.
    const TemporaryFolder folder;
    const std::string profile = folder.with("p.toml", R"(kind = "units"
        [compute]
        seconds_per_unit = 0.1
        [network]
        latency_seconds = 0
        seconds_per_data_unit = 0)");
    const std::string pipeline = "3d_pipeline_parallel --profile '" + profile + "'";
    const Said said = compare({"0d_sequential", "0d_sequential", pipeline});
    EXPECT_THAT(said.out, ContainsRegex("3d_pipeline_parallel +pp 4 +4 +1 +14.000 s +2.29x +57.1 % +8.000 s +0.000 s"
                                        " +6.000 s +0.000 s\n"));
}

TEST(CompareSeveral, OfAllFiveIsReadableAt140Columns) {
    const Said said = compare(all_five);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    for (const std::string& line : lines_of(said.out)) {
        EXPECT_LE(line.size(), 140) << line;
    }
    EXPECT_THAT(said.out, HasSubstr("4d_hybrid trains a model with experts, so its loss is another"));
}

TEST(CompareSeveral, GivesTheSameNumbersToOtherPrograms) {
    const Said said = compare(all_five, " --json");
    const nlohmann::json runs = said.json().at("runs");
    ASSERT_EQ(runs.size(), 5U);
    for (const nlohmann::json& run : runs) {
        double sum = 0;
        for (const char* const part : {"compute", "communication", "bubble", "idle"}) {
            sum += run.at(fmt::format("{}_seconds", part)).get<double>();
        }
        EXPECT_NEAR(sum, run.at("simulated_seconds").get<double>(), 1e-9) << run;
    }
    EXPECT_EQ(runs.at(4).at("mesh"), "dp 2 x tp 2 x pp 2 x ep 2");
    const std::vector<std::string> csv = lines_of(compare(all_five, " --csv -").out);
    ASSERT_EQ(csv.size(), 6U);
    EXPECT_THAT(csv.front(), testing::StartsWith("file,scenario,mesh,ranks,processes,simulated_seconds,"));
    EXPECT_THAT(csv.at(2), HasSubstr(",1d_data_parallel,\"dp 4\",4,1,16.1,"));
}

TEST(CompareSeveral, ShowsAllTimelinesOnAPage) {
    const TemporaryFolder folder;
    const std::string page = folder.file("page.html");
    EXPECT_EQ(compare({"0d_sequential", "1d_data_parallel", "4d_hybrid"}, " --report '" + page + "'").exit_code, 0);
    const std::string text = content_of(page);
    for (const char* const name : {"0d_sequential", "1d_data_parallel", "4d_hybrid"}) {
        EXPECT_THAT(text, HasSubstr(name));
    }
}

TEST(CompareSeveral, RefusesInOneLineWhatNoScenarioPrinted) {
    const TemporaryFolder folder;
    nlohmann::json run = run_command("0d_sequential --json --quiet").json();
    const std::string good = folder.with("good.json", run.dump());
    const auto refused = [&](const std::string& text) {
        const std::string file = folder.with("x.json", text);
        const std::string said = refusal(fmt::format("ndsim compare '{0}' '{0}' '{1}'", good, file));
        const std::string begin =
            "ndsim compare: " + file + ": must be what a scenario or ndsim train prints with --json, not ";
        EXPECT_THAT(said, testing::StartsWith(begin));
        return said.substr(std::min(begin.size(), said.size()));
    };
    EXPECT_EQ(refusal(fmt::format("ndsim compare '{0}' '{0}' nowhere.json", good)),
              "ndsim compare: nowhere.json: No such file or directory");
    EXPECT_EQ(refused("null"), "null");
    EXPECT_EQ(refused("{\"rows\": []}"), "another object");
    const std::string step =
        folder.with("step.json", run_command("ndsim train --model llama3.2-1b --gpus 1 --global-batch 1 --json").out);
    EXPECT_EQ(refusal(fmt::format("ndsim compare '{0}' '{0}' '{1}'", good, step)),
              "ndsim compare: " + step + " is of ndsim train and others of scenarios; all must be of the same");
    run.erase("loss");
    EXPECT_EQ(refused(run.dump()), "one with key 'loss' not found");
}

TEST(CompareSeveral, WritesOverNoResult) {
    const TemporaryFolder folder;
    const std::string a = folder.with("a.json", run_command("0d_sequential --json --quiet").out);
    const std::string d = folder.with("d.json", content_of(a));
    EXPECT_THAT(refusal(fmt::format("ndsim compare '{0}' '{0}' '{0}' '{1}' --csv '{1}'", a, d)),
                HasSubstr("--csv would write over"));
}

TEST(CompareSeveral, FailsWhereWeightsDiffer) {
    const TemporaryFolder folder;
    nlohmann::json run = run_command("0d_sequential --json --quiet").json();
    run["max_weight_difference"] = 0.5;
    const Said said = run_command(fmt::format("ndsim compare '{0}' '{0}' '{0}'", folder.with("run.json", run.dump())));
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, ContainsRegex("0d_sequential .* NO "));
}

}  // namespace
