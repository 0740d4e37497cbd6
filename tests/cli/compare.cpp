// The table at the end of tools/demo.sh, made from --json output alone.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// Runs each line with --json and compares the results.
Said compare(const std::vector<std::string>& lines) {
    const TemporaryFolder folder;
    std::string files;
    for (const std::string& line : lines) {
        const Said said = run_command(line + " --json --quiet --host fiber");
        EXPECT_EQ(said.exit_code, 0) << line << "\n" << said.err;
        files += " '" + folder.with(std::to_string(files.size()) + ".json", said.out) + "'";
    }
    return run_command("ndsim_compare" + files);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

TEST(Compare, ShowsWhereTheTimeOfEachScenarioWent) {
    const Said said = compare({"0d_sequential", "1d_data_parallel"});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, ContainsRegex("0d_sequential +- +1 +1 +32.000 s +1.00x +100.0 % +32.000 s +0.000 s +0.000 s"
                                        " +0.000 s\n"));
    EXPECT_THAT(said.out, ContainsRegex("1d_data_parallel +dp 4 +4 +1 +16.100 s +1.99x +49.7 % +8.000 s +8.100 s"
                                        " +0.000 s +0.000 s\n"));
    EXPECT_THAT(said.out, ContainsRegex("1d_data_parallel +750 +24 .* yes +[0-9.]+ s\n"));
    EXPECT_THAT(said.out, Not(HasSubstr("experts")));
}

TEST(Compare, KeepsTheBubbleApartFromOtherWaiting) {
    // On a free network, 4 stages with 4 micro-batches take (4 + 3) x 2 s, of which each stage computes 8 s.
    const TemporaryFolder folder;
    const std::string profile = folder.with("p.toml", R"(kind = "units"
        [compute]
        seconds_per_unit = 0.1
        [network]
        latency_seconds = 0
        seconds_per_data_unit = 0)");
    const Said said = compare({"3d_pipeline_parallel --profile '" + profile + "'"});
    EXPECT_THAT(said.out, ContainsRegex("3d_pipeline_parallel +pp 4 +4 +1 +14.000 s +2.29x +57.1 % +8.000 s +0.000 s"
                                        " +6.000 s +0.000 s\n"));
}

TEST(Compare, OfAllFiveIsReadableAt140Columns) {
    const Said said =
        compare({"0d_sequential", "1d_data_parallel", "2d_tensor_parallel", "3d_pipeline_parallel", "4d_hybrid"});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    for (const std::string& line : lines_of(said.out)) {
        EXPECT_LE(line.size(), 140) << line;
    }
    EXPECT_THAT(said.out, HasSubstr("4d_hybrid trains a model with experts, so its loss is another"));
}

TEST(Compare, RefusesInOneLineWhatNoScenarioPrinted) {
    const TemporaryFolder folder;
    const auto refused = [&](const std::string& file) { return refusal("ndsim_compare '" + file + "'"); };
    const auto of_text = [&](const std::string& text) {
        const std::string file = folder.with("x.json", text);
        const std::string said = refused(file);
        const std::string begin = "ndsim_compare: " + file + ": ";
        EXPECT_THAT(said, testing::StartsWith(begin));
        return said.substr(std::min(begin.size(), said.size()));
    };
    EXPECT_EQ(refused("/"), "ndsim_compare: /: is a folder, not a JSON file");
    EXPECT_EQ(refused("nowhere.json"), "ndsim_compare: nowhere.json: No such file or directory");
    EXPECT_EQ(of_text("null"), "must be what a scenario prints with --json, not null");
    EXPECT_EQ(of_text("[1]"), "must be what a scenario prints with --json, not a list");
    EXPECT_EQ(of_text("{\"command\": \"train\"}"),
              "must be what a scenario prints with --json, not a result of ndsim train");
    EXPECT_THAT(of_text("{\"rows\": []}"), HasSubstr("another object"));
    EXPECT_THAT(of_text("{"), testing::StartsWith("is not valid JSON: parse error at line 1"));
    nlohmann::json run = run_command("0d_sequential --json --quiet").json();
    run.erase("loss");
    EXPECT_EQ(of_text(run.dump()), "must be what a scenario prints with --json, not one with key 'loss' not found");
}

TEST(Compare, FailsWhereWeightsDiffer) {
    const TemporaryFolder folder;
    nlohmann::json run = run_command("0d_sequential --json --quiet").json();
    run["max_weight_difference"] = 0.5;
    const Said said = run_command("ndsim_compare '" + folder.with("run.json", run.dump()) + "'");
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, ContainsRegex("0d_sequential .* NO "));
}

}  // namespace
