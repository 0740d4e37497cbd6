// ndsim compare: what makes the difference between two results.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using Json = nlohmann::json;

class CompareTwo : public testing::Test {
protected:
    std::string result_of(const std::string& line) {
        const Said said = run_command(line + " --json");
        EXPECT_EQ(said.exit_code, 0) << line << "\n" << said.err;
        return folder_.with(std::to_string(files_++) + ".json", said.out);
    }
    Said compared(const std::string& a, const std::string& b, const std::string& options = "") const {
        return run_command("ndsim compare '" + a + "' '" + b + "'" + options);
    }
    std::string file(const std::string& text) { return folder_.with(std::to_string(files_++) + ".json", text); }

private:
    TemporaryFolder folder_;
    int files_ = 0;
};

// 8 s of computing each; the ring takes 8.1 s, and hidden behind the backward pass less.
TEST_F(CompareTwo, OfScenariosSplitsTheDifference) {
    const std::string ring = result_of("1d_data_parallel --quiet --host fiber");
    const std::string naive = result_of("1d_data_parallel --quiet --host fiber --synchronize direct");
    const Said said = compared(ring, naive);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, ContainsRegex("compute +8 +8 +\\+0 +\\+0.0 %"));
    EXPECT_THAT(said.out, ContainsRegex("all +16.1 "));
    EXPECT_THAT(said.out, HasSubstr("changed: synchronize ring -> direct."));
    const Json json = compared(ring, naive, " --json").json();
    double sum = 0;
    for (const auto& [name, part] : json.at("parts").items()) {
        sum += part.at("difference_seconds").get<double>();
    }
    EXPECT_NEAR(sum, json.at("difference_seconds").get<double>(), 1e-9);
    EXPECT_EQ(json.at("changed"), (Json{{"synchronize", {{"a", "ring"}, {"b", "direct"}}}}));
}

TEST_F(CompareTwo, OfPredictionsNamesTheCause) {
    const std::string line = "ndsim train --model llama3-8b --gpus 64 --tp 2 --pp 4";
    const std::string a = result_of(line + " --global-batch 64");
    const std::string b = result_of(line + " --global-batch 64 --interleave 2");
    const Said said = compared(a, b);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("llama3-8b on dgx-h100"));
    EXPECT_THAT(said.out, ContainsRegex("B takes [0-9.]+ s \\([0-9.]+ %\\) less than A: bubble -[0-9.]+ s"));
    EXPECT_THAT(said.out, HasSubstr("schedule 1f1b -> interleaved, interleave 1 -> 2"));
    const Json json = compared(a, b, " --json").json();
    double sum = 0;
    for (const auto& [name, part] : json.at("parts").items()) {
        sum += part.at("difference_seconds").get<double>();
    }
    EXPECT_NEAR(sum, json.at("difference_seconds").get<double>(), 1e-9);
}

TEST_F(CompareTwo, OfOneAndTheSameFindsNothing) {
    const std::string a = result_of("0d_sequential --quiet");
    EXPECT_THAT(compared(a, a).out, HasSubstr("A and B take the same time; nothing was asked for differently."));
}

TEST_F(CompareTwo, RefusesInOneLineWhatCannotBeCompared) {
    const std::string scenario = result_of("0d_sequential --quiet");
    const std::string step = result_of("ndsim train --model llama3.2-1b --gpus 1 --global-batch 1");
    const auto refused = [&](const std::string& a, const std::string& b) {
        return refusal("ndsim compare '" + a + "' '" + b + "'");
    };
    EXPECT_EQ(refused(scenario, step), "ndsim compare: " + scenario + " is of a scenario and " + step +
                                           " of ndsim train; both must be of the same");
    const std::string must = ": must be what a scenario or ndsim train prints with --json, not ";
    const std::string list = file("[1]");
    EXPECT_EQ(refused(scenario, list), "ndsim compare: " + list + must + "a list");
    const std::string other = file(R"({"command": "plan"})");
    EXPECT_EQ(refused(other, scenario), "ndsim compare: " + other + must + "a result of ndsim plan");
    const std::string odd = file(R"({"scenario": 1, "per_rank": [{}]})");
    EXPECT_THAT(refused(odd, scenario), HasSubstr(must + "one with key 'simulated_seconds' not found"));
    const std::string broken = file("{");
    EXPECT_THAT(refused(broken, scenario), HasSubstr(broken + ": is not valid JSON: parse error at line 1"));
    EXPECT_EQ(refused("nowhere.json", scenario), "ndsim compare: nowhere.json: No such file or directory");
}

}  // namespace
