// ndsim compare: the causes of the difference between two results.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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

// Each run computes for 8 s; the ring takes 8.1 s, less if it overlaps the backward pass.
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
    EXPECT_THAT(said.out, ContainsRegex("memory of the fullest GPU: [0-9.]+ GB -> [0-9.]+ GB \\([-+][0-9.]+ %\\)\n"));
    EXPECT_THAT(said.out,
                ContainsRegex("FLOPs of the model per GPU: [0-9.]+ TFLOP/s -> [0-9.]+ TFLOP/s \\(\\+[0-9.]+ %\\)\n"));
    for (const auto& [run, key] : {std::pair{a, "a"}, std::pair{b, "b"}}) {
        const Json result = Json::parse(std::ifstream(run));
        const char* const flops = "model_flops_per_second_per_gpu";
        EXPECT_EQ(compared(a, b, " --json").json().at(key).at(flops), result.at(flops));
        EXPECT_EQ(compared(a, b, " --json").json().at(key).at("peak_memory_bytes"), result.at("memory").at("peak"));
    }
    const Json json = compared(a, b, " --json").json();
    double sum = 0;
    for (const auto& [name, part] : json.at("parts").items()) {
        sum += part.at("difference_seconds").get<double>();
    }
    EXPECT_NEAR(sum, json.at("difference_seconds").get<double>(), 1e-9);
}

// Values that a result holds outside its settings count, too.
TEST_F(CompareTwo, NamesEveryOptionThatWasGivenDifferently) {
    const std::string line = "1d_data_parallel --quiet --host fiber";
    const std::string a = result_of(line + " --dp 2");
    const std::string b = result_of(line + " --ranks 2 --compute-units 21.5");
    EXPECT_EQ(compared(a, b, " --json").json().at("changed"),
              (Json{{"compute_units", {{"a", "default"}, {"b", "21.5"}}}}));
}

TEST_F(CompareTwo, OfOneAndTheSameFindsNothing) {
    const std::string a = result_of("0d_sequential --quiet");
    EXPECT_THAT(compared(a, a).out, HasSubstr("A and B take the same time; all options are the same."));
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
    EXPECT_THAT(refused(file(""), scenario), HasSubstr(must + "nothing: a run that failed prints no result"));
    const std::string broken = file("{");
    EXPECT_THAT(refused(broken, scenario), HasSubstr(broken + ": is not valid JSON: parse error at line 1"));
    EXPECT_EQ(refused("nowhere.json", scenario), "ndsim compare: nowhere.json: No such file or directory");
}

class ComparePage : public CompareTwo {
protected:
    std::string page() const { return folder_.file("page.html"); }
    std::string json_of(const std::string& line) const { return run_command(line + " --json").out; }
    // Compares `text` with a good result; returns the refusal without the file's name.
    std::string refused(const std::string& text) {
        const std::string a = file(text);
        const std::string good = result_of(pipeline);
        const std::string said = refusal("ndsim compare '" + a + "' '" + good + "' --report '" + page() + "'");
        EXPECT_FALSE(std::filesystem::exists(page())) << said;
        const std::string begin = "ndsim compare: " + a + ": its run cannot be shown: ";
        EXPECT_TRUE(said.starts_with(begin)) << said;
        return said.substr(std::min(begin.size(), said.size()));
    }
    static std::string with(std::string text, const std::string& from, const std::string& to) {
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from << " in " << text;
        return text.replace(at, from.size(), to);
    }

    const std::string pipeline = "3d_pipeline_parallel --quiet --host fiber --items 8";

private:
    TemporaryFolder folder_;
};

// Covers processes by the wall clock, an option from a file, a flag, and a profile with links.
TEST_F(ComparePage, ShowsScenariosHoweverTheyRan) {
    const std::string profile = file(
        "kind = \"cluster\"\n[compute]\nseconds_per_unit = 0.0003\n[network]\n"
        "bytes_per_unit = 1e6\n[topology]\nname = \"dgx-h100\"\n");
    const std::string options = file("items = 8\nblocking-sends = true\nschedule = \"gpipe\"\n");
    const std::string a = result_of("3d_pipeline_parallel --quiet --clock wall --time-scale 0.0001 --config '" +
                                    options + "' --profile '" + profile + "'");
    const std::string b = result_of(pipeline + " --watchdog 5");
    const Said said = compared(a, b, " --report '" + page() + "'");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(said.err, "");
    EXPECT_EQ(said.out, compared(a, b).out);
    const std::string html = content_of(page());
    EXPECT_THAT(html, HasSubstr("\"title\":\"A: 3d_pipeline_parallel\""));
    EXPECT_THAT(html, HasSubstr("\"name\":\"dgx-h100\""));
    EXPECT_THAT(html, HasSubstr(compared(a, b, " --json").json().at("sentence").get<std::string>()));
}

TEST_F(ComparePage, RefusesARunThatCannotBeDoneAgain) {
    const std::string text = json_of(pipeline);
    EXPECT_THAT(refused(with(text, "\"given\"", "\"taken\"")), HasSubstr("it does not record its options"));
    EXPECT_EQ(refused(with(text, "3d_pipeline_parallel", "3d_pipe_parallel")),
              "\"3d_pipe_parallel\" is not one of ndsim's scenarios; did you mean 3d_pipeline_parallel?");
    EXPECT_EQ(refused(with(text, "3d_pipeline_parallel", "../bin/ndsim")),
              "\"../bin/ndsim\" is not one of ndsim's scenarios");
    EXPECT_EQ(refused(with(text, "\"items\":8}", "\"itmes\":8}")),
              "3d_pipeline_parallel: unknown option --itmes; did you mean --items?");
    EXPECT_EQ(refused(with(text, "\"items\":8}", "\"items\":-8}")),
              "3d_pipeline_parallel: --items must be a whole number from 1 to 1000000, not -8");
}

TEST_F(ComparePage, LetsNoResultWriteFiles) {
    const std::string text = json_of(pipeline);
    for (const char* const name : {"report", "trace", "config", "items=8 --report"}) {
        const std::string bad = with(text, "\"items\":8}", fmt::format("\"{}\":\"{}\"}}", name, page()));
        EXPECT_EQ(refused(bad), fmt::format("{} is no option of its result", name));
    }
}

TEST_F(ComparePage, SaysThatTheTimelineIsAnotherOne) {
    const std::string text = json_of(pipeline);
    EXPECT_THAT(refused(with(text, "\"items\":8}", "\"items\":12}")),
                ContainsRegex("^repeated, its timeline is another one, [0-9a-f]{16} and not [0-9a-f]{16}; print the "
                              "result again"));
}

TEST_F(ComparePage, OfPredictionsIsMadeInTheSameWay) {
    const std::string line = "ndsim train --model llama3.2-1b --gpus 8 --global-batch 8 --unfold --jitter 0.1 --json";
    const std::string text = run_command(line).out;
    const std::string a = file(text);
    EXPECT_EQ(compared(a, a, " --report '" + page() + "'").exit_code, 0);
    const auto refusal_of = [&](const std::string& from, const std::string& to) {
        return refusal("ndsim compare '" + a + "' '" + file(with(text, from, to)) + "' --report '" + page() + "'");
    };
    EXPECT_THAT(refusal_of("\"jitter\":0.1", "\"jitter\":0.2"), HasSubstr("its timeline is another one"));
    EXPECT_THAT(refusal_of("\"jitter\":0.1", "\"jittr\":0.1"),
                HasSubstr("unknown option jittr; did you mean --jitter?"));
    EXPECT_THAT(refusal_of("\"jitter\":0.1", "\"jitter\":{}"), HasSubstr("given: jitter must be a boolean, a number"));
}

TEST_F(ComparePage, StandsInPlaceOfTheTextWhereItIsAskedTo) {
    const std::string a = result_of(pipeline);
    EXPECT_THAT(compared(a, a, " --report -").out, testing::StartsWith("<!DOCTYPE html>"));
    EXPECT_THAT(compared(a, a, " --report -").out, testing::EndsWith("</html>\n"));
    EXPECT_EQ(compared(a, a, " --report - --json").exit_code, 2);
}

TEST_F(ComparePage, RefusesAFileThatCannotBeWrittenFirst) {
    EXPECT_THAT(refusal("ndsim compare a.json b.json --report /nowhere/page.html", 6), HasSubstr("/nowhere/page.html"));
}

}  // namespace
