// ndsim explain of training steps, from outside.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

namespace {

using nlohmann::json;
using testing::HasSubstr;

// Visits every value of an explanation that names its counterpart in the explained result.
void for_each_shared(const json& value, const std::function<void(const json&)>& visit) {
    if (value.is_object() && value.contains("same_as") && value["same_as"].is_string()) {
        visit(value);
    }
    if (value.is_structured()) {
        for (const json& part : value) {
            for_each_shared(part, visit);
        }
    }
}

class ExplainedStep : public testing::TestWithParam<const char*> {};

TEST_P(ExplainedStep, HasEveryFigureThatNdsimTrainHasToTheLastBit) {
    const json explained = run_command(std::string("ndsim explain --json ") + GetParam()).json();
    const json train = run_command(explained["explains"].get<std::string>() + " --json").json();
    std::set<std::string> shared;
    for_each_shared(explained, [&](const json& figure) {
        const auto pointer = figure["same_as"].get<std::string>();
        shared.insert(pointer);
        ASSERT_TRUE(train.contains(json::json_pointer(pointer))) << pointer;
        EXPECT_EQ(figure["value"], train.at(json::json_pointer(pointer))) << pointer;
    });
    EXPECT_GE(shared.size(), 30U);
    for (const char* const pointer : {"/step_seconds", "/mfu", "/memory/peak", "/memory/stages/0/activations",
                                      "/pipeline/bubble_fraction", "/timeline_sha256", "/advice/do_not_fit"}) {
        EXPECT_TRUE(shared.contains(pointer)) << pointer;
    }
}

TEST_P(ExplainedStep, SplitsTheGpusIntoSpeedupAndLossesWithoutARest) {
    const json speedup = run_command(std::string("ndsim explain --json ") + GetParam()).json()["sections"]["speedup"];
    const json& rows = speedup["tables"]["losses"]["rows"];
    double gpus = 0;
    std::int64_t tenths = 0;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        gpus += rows[i]["gpus"]["value"].get<double>();
        tenths += std::llround(1000 * rows[i]["share"]["value"].get<double>());
    }
    EXPECT_EQ(gpus, speedup["figures"]["gpus"]["value"].get<double>());
    EXPECT_EQ(rows.back()["gpus"]["value"], gpus);
    EXPECT_EQ(tenths, 1000);
}

INSTANTIATE_TEST_SUITE_P(Of, ExplainedStep,
                         testing::Values("", "--hardware cluster --strategy hybrid --model llama3-70b",
                                         "--hardware tpu --strategy model", "--hardware cpu",
                                         "--strategy pipeline --gpus 16 --global-batch 64",
                                         "--model mixtral-8x7b --gpus 16 --ep 8 --zero 3 --global-batch 32",
                                         "--model llama3-8b --gpus 8 --zero 0 --global-batch 8",
                                         "--model llama3.2-1b --gpus 4 --pp 2 --global-batch 8 --unfold",
                                         "--model gpt3-6.7b --gpus 8 --tp 2 --global-batch 32 --tokens 1e9"));

TEST(Explain, AnswersFirstAndInOrder) {
    const Said said = run_command("ndsim explain");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    std::size_t at = 0;
    for (const char* const title :
         {"explains: ndsim train --model llama3-8b", "\n1. Verdict\n", ". Who holds what\n", ". Links", ". Sync",
          ". Speedup over one GPU", ". Pipeline bubble\n", ". Memory of each process\n", ". Effect of the topology\n",
          ". What to try\n", ". Assumptions\n"}) {
        const std::size_t found = said.out.find(title, at);
        ASSERT_NE(found, std::string::npos) << title;
        at = found;
    }
}

// The text shows each figure exactly as its "text" in JSON.
TEST(Explain, ShowsThePlainFiguresOfJson) {
    const std::string options = "ndsim explain --model gpt3-6.7b --gpus 16 --pp 4 --global-batch 64";
    const std::string text = run_command(options).out;
    for (const auto& [key, section] : run_command(options + " --json").json()["sections"].items()) {
        for (const auto& [name, figure] : section["figures"].items()) {
            if (figure["unit"] != "words" && figure["unit"] != "command") {
                EXPECT_THAT(text, HasSubstr(figure["text"].get<std::string>())) << key << " " << name;
            }
        }
    }
}

TEST(Explain, OfTheOptionsOfTrainExplainsTheStepOfTrain) {
    const json explained = run_command("ndsim explain --model llama3-8b --gpus 64 --tp 2 --json").json();
    EXPECT_EQ(explained["explains"], "ndsim train --model llama3-8b --gpus 64 --tp 2");
}

TEST(Explain, LetsWhatWasGivenWinOverTheStrategy) {
    const auto command = [](const std::string& options) {
        return run_command("ndsim explain --json " + options).json()["explains"].get<std::string>();
    };
    EXPECT_THAT(command("--strategy data --gpus 16 --tp 4"), HasSubstr(" --tp 4 "));
    EXPECT_THAT(command("--strategy pipeline --gpus 16 --pp 8 --global-batch 64"), HasSubstr(" --pp 8 "));
    EXPECT_THAT(command("--hardware cpu --machine dgx-a100"), HasSubstr("--machine dgx-a100 --gpus 8"));
    EXPECT_THAT(command("--hardware cluster --machine dgx-a100"), HasSubstr("--machine dgx-a100 --gpus 32"));
}

TEST(Explain, OfAStrategyUsesWhatTheStrategyIsAbout) {
    const auto layout = [](const std::string& strategy) {
        const json explained =
            run_command("ndsim explain --gpus 16 --global-batch 64 --json --strategy " + strategy).json();
        return run_command(explained["explains"].get<std::string>() + " --json").json()["layout"];
    };
    const json data = layout("data");
    EXPECT_EQ(data["dp"], 16);
    const json model = layout("model");
    EXPECT_GT(model["tp"], 1);
    EXPECT_EQ(model["pp"], 1);
    const json pipeline = layout("pipeline");
    EXPECT_GT(pipeline["pp"], 1);
    EXPECT_EQ(pipeline["tp"], 1);
}

TEST(Explain, SaysWhenItDoesNotFitAndWhatWould) {
    const Said said = run_command("ndsim explain --model llama3-8b --gpus 8 --zero 0 --global-batch 8");
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.err, testing::StartsWith("ndsim explain: does not fit: "));
    EXPECT_THAT(said.out, HasSubstr("  DOES NOT FIT: the fullest GPU needs "));
    EXPECT_THAT(said.out, HasSubstr("What would fit, fastest first"));
}

TEST(Explain, RefusesWhatCannotBe) {
    EXPECT_THAT(refusal("ndsim explain --strategy pipelines"), HasSubstr("did you mean pipeline?"));
    EXPECT_THAT(refusal("ndsim explain --hardware gpus"), HasSubstr("did you mean gpu?"));
    EXPECT_THAT(refusal("ndsim explain --strategy pipeline --gpus 1"), HasSubstr("there is one GPU"));
    EXPECT_THAT(refusal("ndsim explain --strategy model --gpus 4 --machine g6.xlarge"),
                HasSubstr("a node has one GPU"));
    EXPECT_THAT(refusal("ndsim explain --strategy data --dp 8"), HasSubstr("give --gpus"));
}

// The bubble of 1f1b with 4 equal stages and 16 micro-batches: 3 / 19.
TEST(Explain, PutsTheClosedFormBesideTheBubble) {
    const json pipeline = run_command("ndsim explain --model gpt3-6.7b --gpus 4 --pp 4 --global-batch 16 --json")
                              .json()["sections"]["pipeline"];
    EXPECT_EQ(pipeline["figures"]["closed_form"]["value"], 3.0 / 19);
    EXPECT_GT(pipeline["figures"]["bubble"]["value"], 3.0 / 19);
}

// Gradients have 4 bytes per parameter: ten times the parameters take nearly ten times as long.
TEST(Explain, SimulatesTheGradientsOfThreeModels) {
    const json rows = run_command("ndsim explain --hardware cluster --json")
                          .json()["sections"]["topology"]["tables"]["models"]["rows"];
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0]["bytes"]["value"], 4e9);
    EXPECT_EQ(rows[2]["parameters"]["value"], 100'000'000'000);
    const double ratio = rows[2]["all"]["value"].get<double>() / rows[1]["all"]["value"].get<double>();
    EXPECT_GT(ratio, 9.9);
    EXPECT_LE(ratio, 10);
}

}  // namespace
