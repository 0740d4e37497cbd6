#include "tests/cli/command.hpp"

#include <gtest/gtest.h>

namespace {

using testing::HasSubstr;

const std::string small = " --model gpt3-6.7b --gpus 16 --tp 2 --pp 2 --global-batch 64";

TEST(TrainCommand, AnswersFirst) {
    const Said said = run_command("ndsim train" + small);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, testing::StartsWith("gpt3-6.7b on 16 x H100-SXM-80GB (dgx-h100): dp 4, tp 2, pp 2\n"
                                              "16 micro-batches of 1 x 2048 tokens, global batch 64, bf16, zero 1, "
                                              "recompute none\n\n  step "));
    for (const char* part : {"MFU", "Time of a step", "Memory of a rank", "Communication of a rank", "Pipeline: 1f1b",
                             "With 10 % more", "What to try", "Assumptions"}) {
        EXPECT_THAT(said.out, HasSubstr(part));
    }
}

TEST(TrainCommand, AsJsonHasTheContractsKeys) {
    const auto json = run_command("ndsim train" + small + " --json").json();
    for (const char* key : {"step_seconds", "tokens_per_second", "mfu", "hfu", "breakdown", "memory", "simulated_ranks",
                            "timeline_sha256"}) {
        EXPECT_TRUE(json.contains(key)) << key;
    }
    double sum = 0;
    for (const auto& part : json["breakdown"]) {
        sum += part.get<double>();
    }
    EXPECT_NEAR(sum, json["step_seconds"].get<double>(), 1e-9 * sum);
    EXPECT_EQ(json["layout"]["dp"], 4);
    EXPECT_EQ(json["memory"]["stages"].size(), 2U);
}

// 64 sequences x 2,048 tokens a step.
TEST(TrainCommand, SaysWhatARunCosts) {
    const auto json = run_command("ndsim train" + small + " --tokens 131072000 --usd-per-hour 3.6 --json").json();
    EXPECT_EQ(json["cost_of_run"]["steps"], 1000);
    EXPECT_EQ(json["price"], "--usd-per-hour");
    const double usd = 16 * 3.6 / 3600 * json["step_seconds"].get<double>();
    EXPECT_NEAR(json["cost_per_step"]["usd"].get<double>(), usd, 1e-9 * usd);
}

TEST(TrainCommand, PredictsWhatDoesNotFitAndSaysSo) {
    const Said said = run_command("ndsim train --model gpt3-175b --gpus 8 --global-batch 8");
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.err, testing::StartsWith("ndsim train: does not fit: "));
    EXPECT_THAT(said.out, HasSubstr("\n  memory      DOES NOT FIT: "));
    EXPECT_THAT(said.out, HasSubstr("What would fit"));
}

// 16 bytes for each of 8 B parameters, and activations: too much for one GPU, not for eight that share them.
TEST(TrainCommand, SaysWhichChangeWouldFit) {
    const Said said = run_command("ndsim train --model llama3-8b --gpus 8 --zero 0 --global-batch 8");
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.err, HasSubstr("; with --"));
    EXPECT_THAT(said.err, HasSubstr(" it would ("));
}

TEST(TrainCommand, RefusesWhatCannotBeInOneLine) {
    EXPECT_THAT(refusal("ndsim train --model gpt3-6.7b --tp 3"), HasSubstr("heads"));
    EXPECT_THAT(refusal("ndsim train --model gpt3-6.7b --gpus 12 --tp 8"),
                HasSubstr("--gpus 12 does not divide into replicas of 8 GPUs (tp 8 x pp 1 x cp 1); 8 or 16 would do"));
    EXPECT_THAT(refusal("ndsim train --model gpt3-6.7b --dp 2 --global-batch 3"), HasSubstr("batch"));
    EXPECT_THAT(refusal("ndsim train --model gpt3-6.7b --tp -1"), HasSubstr("--tp must be a whole number from 1"));
    EXPECT_THAT(refusal("ndsim train --model gpt3-6.7b --layers -4"), HasSubstr("--layers must be"));
    EXPECT_THAT(refusal("ndsim train --model gpt3-6.7b --sequence-parallel yes"), HasSubstr("must be on or off"));
    EXPECT_THAT(refusal("ndsim train --model gpt3-6.7b --steps 3 --tokens 5"), HasSubstr("give one of them"));
    EXPECT_THAT(refusal("ndsim train"), HasSubstr("--model is missing"));
}

TEST(TrainCommand, KnowsTheNearestName) {
    EXPECT_THAT(refusal("ndsim train --model gpt3-6.7c"), HasSubstr("did you mean gpt3-6.7b?"));
    EXPECT_THAT(refusal("ndsim train --model gpt3-6.7b --machine dgx-h101"), HasSubstr("did you mean dgx-h100?"));
    EXPECT_THAT(refusal("ndsim train --model gpt3-6.7b --recompte full"), HasSubstr("did you mean --recompute?"));
    EXPECT_THAT(refusal("ndsim train --model gpt3-6.7b --schedule 1f2b"), HasSubstr("did you mean 1f1b?"));
}

TEST(TrainCommand, NamesTheKeyThatAModelsFileLacks) {
    const TemporaryFolder folder;
    const std::string file = folder.with("config.json", "{\"model_type\": \"llama\", \"hidden_size\": 4096}");
    EXPECT_THAT(refusal("ndsim train --model " + file), testing::AllOf(HasSubstr("config.json"), HasSubstr("num_")));
    EXPECT_THAT(refusal("ndsim train --model " + folder.file("none.json")), HasSubstr("none.json"));
}

TEST(TrainCommand, RefusesNodesWithoutLinksBetweenThem) {
    const TemporaryFolder folder;
    const std::string file =
        folder.with("alone.toml", "name = \"alone\"\naccelerator = \"H100-SXM-80GB\"\ngpus_per_node = 8\n");
    EXPECT_THAT(refusal("ndsim train --model gpt3-6.7b --gpus 16 --machine " + file),
                HasSubstr("alone has no network between nodes"));
}

TEST(TrainCommand, WritesATraceOrSaysWhyNot) {
    const TemporaryFolder folder;
    const std::string file = folder.file("step.json");
    EXPECT_EQ(run_command("ndsim train" + small + " --trace " + file).exit_code, 0);
    EXPECT_TRUE(nlohmann::json::parse(content_of(file)).contains("traceEvents"));
    EXPECT_THAT(refusal("ndsim train" + small + " --trace " + folder.file("none/x.json"), 6), HasSubstr("none"));
}

TEST(MemoryCommand, AnswersThatItDoesNotFit) {
    const Said said = run_command("ndsim memory --model gpt3-175b --gpus 8 --global-batch 8");
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.err, testing::StartsWith("ndsim memory: does not fit: "));
    EXPECT_THAT(said.out, HasSubstr("DOES NOT FIT"));
    const auto json = run_command("ndsim memory --model gpt3-175b --gpus 8 --global-batch 8 --json").json();
    EXPECT_EQ(json["memory"]["fits"], false);
    EXPECT_EQ(json["memory"]["stages"][0]["first_layer_that_overflows"], -1);
}

TEST(MemoryCommand, ShowsAStageOverTime) {
    const auto json = run_command("ndsim memory" + small + " --stage 1 --json").json();
    EXPECT_EQ(json["stage"], 1);
    std::int64_t most = 0;
    for (const auto& at : json["over_time"]) {
        most = std::max(most, at["total"].get<std::int64_t>());
    }
    EXPECT_EQ(most, json["memory"]["stages"][1]["total"]);
    EXPECT_THAT(run_command("ndsim memory" + small).out, HasSubstr("A rank of stage 0 over the"));
}

TEST(MemoryCommand, WritesEveryStageAsCsv) {
    const Said said = run_command("ndsim memory" + small + " --csv -");
    EXPECT_THAT(said.out, testing::StartsWith("stage,number,step,parameters,"));
    EXPECT_THAT(said.out, HasSubstr("\n1,0,"));
}

TEST(MemoryCommand, RefusesStagesThatAreNone) {
    EXPECT_THAT(refusal("ndsim memory" + small + " --stage 2"), HasSubstr("--stage must be one of 0 to 1, not 2"));
    EXPECT_THAT(refusal("ndsim memory" + small + " --json --csv -"), HasSubstr("both want standard output"));
}

}  // namespace
