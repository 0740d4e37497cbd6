#include "tests/cli/command.hpp"

#include "libsim/goodput/study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

using nlohmann::json;
using testing::HasSubstr;

class EveryStudy : public testing::TestWithParam<std::string> {};

TEST_P(EveryStudy, IsReproduced) {
    const json study = run_command("ndsim goodput --study " + GetParam() + " --json").json()["study"];
    for (const json& figure : study["figures"]) {
        EXPECT_TRUE(figure["holds"].get<bool>()) << figure.dump();
    }
}

INSTANTIATE_TEST_SUITE_P(Of, EveryStudy, testing::ValuesIn(sim::goodput::study_names()), [](const auto& one) {
    std::string name = one.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(Goodput, IsTheSameWithAnyNumberOfThreads) {
    const std::string line = "ndsim goodput --gpus 1024 --step-seconds 5 --repair-hours 10 --runs 50 --json --jobs ";
    const std::string one = run_command(line + "1").out;
    EXPECT_EQ(run_command(line + "5").out, one);
    EXPECT_NE(run_command(line + "1 --seed 2").out, one);
}

TEST(Goodput, WithoutFailuresIsIntervalOverIntervalAndCheckpoint) {
    const json result = run_command(
                            "ndsim goodput --gpus 8 --step-seconds 1 --gpu-mtbf-hours 1e9 --checkpoint-seconds 270 "
                            "--checkpoint-cost-seconds 30 --days 10 --runs 3 --json")
                            .json();
    EXPECT_EQ(result["ettr"], 0.9);
    EXPECT_EQ(result["interruptions"]["unexpected"]["mean"], 0);
}

TEST(Goodput, PredictsTheStepAndEndsWhenTheTokensAreThere) {
    const json train = run_command("ndsim train --model llama3-8b --gpus 64 --tp 2 --json").json();
    const json result =
        run_command("ndsim goodput --model llama3-8b --gpus 64 --tp 2 --tokens 1e11 --runs 20 --json").json();
    const double step = train["step_seconds"];
    EXPECT_NEAR(result["step_seconds"].get<double>(), step, 1e-9);
    EXPECT_EQ(result["job"]["replicas"], 32);
    const double steps = std::ceil(1e11 / (train["tokens_per_second"].get<double>() * step));
    EXPECT_NEAR(result["job"]["work_seconds"].get<double>(), steps * result["step_seconds"].get<double>(), 1e-3);
    EXPECT_EQ(result["finished_share"], 1);
}

TEST(Goodput, SaysThatAStepDoesNotFit) {
    const std::string text = run_command("ndsim goodput --model llama3-70b --gpus 8 --runs 2").out;
    EXPECT_THAT(text, HasSubstr("predicted, as ndsim train does; it does not fit into memory"));
}

TEST(Goodput, TakesTheOptionsOfAStudyUnlessTheyAreGiven) {
    const json result = run_command("ndsim goodput --study llama3-405b --gpus 8192 --runs 5 --json").json();
    EXPECT_EQ(result["gpus"], 8192);
    EXPECT_EQ(result["job"]["detect_seconds"], 60);
    EXPECT_EQ(result["given"], (json{{"study", "llama3-405b"}, {"gpus", 8192}, {"runs", 5}}));
}

TEST(Goodput, DrawsARunAndWritesDownAll) {
    const Said drawn = run_command("ndsim goodput --study llama3-405b --runs 5 --svg -");
    EXPECT_THAT(drawn.out, HasSubstr("<polyline"));
    EXPECT_THAT(drawn.out, HasSubstr("16384 GPUs: "));
    const std::string table = run_command("ndsim goodput --study llama3-405b --runs 5 --csv -").out;
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 6);
}

TEST(Goodput, SaysWhatItCannotKnow) {
    const auto refused = [](const std::string& options) { return refusal("ndsim goodput " + options); };
    EXPECT_THAT(refused("--gpus 8"), HasSubstr("--model is missing"));
    EXPECT_THAT(refused("--step-seconds 5"), HasSubstr("--gpus is missing"));
    EXPECT_THAT(refused("--gpus 8 --step-seconds 5 --tokens 1e9"), HasSubstr("--tokens needs --model"));
    EXPECT_THAT(refused("--gpus 8 --step-seconds 5 --checkpoint-cost-seconds 0"),
                HasSubstr("--checkpoint-seconds is missing"));
    EXPECT_THAT(refused("--gpus 8 --step-seconds 5 --policy elastik"), HasSubstr("did you mean elastic?"));
    EXPECT_THAT(refused("--gpus 8 --step-seconds 5 --steps 1e12"), HasSubstr("at most 3650 days"));
    EXPECT_THAT(refused("--gpus 8 --step-seconds 5 --policy elastic"), HasSubstr("needs --replicas"));
    EXPECT_THAT(refused("--gpus 100000 --step-seconds 5 --gpu-mtbf-hours 1"), HasSubstr("--runs asks for fewer"));
    EXPECT_THAT(refused("--study openai"), HasSubstr("there is no study"));
}

}  // namespace
