#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace {

using testing::HasSubstr;

const std::string small = " --model gpt3-6.7b --gpus 16 --tp 2 --pp 2 --global-batch 64";

TEST(TrainCommand, AnswersFirst) {
    const Said said = run_command("ndsim train" + small);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, testing::StartsWith("gpt3-6.7b on 16 x H100-SXM-80GB (dgx-h100): dp 4, tp 2, pp 2\n"
                                              "16 micro-batches of 1 x 2048 tokens, global batch 64, bf16, zero 1, "
                                              "recompute none\n\n  step "));
    for (const char* part :
         {"MFU", "\nWhere the time of a step goes\n", "Critical path: ", "\nLinks", "\nPipeline bubble\n",
          "\nMemory of each process\n", "\nWhat to try\n", "with 10 % more", "\nAssumptions\n"}) {
        EXPECT_THAT(said.out, HasSubstr(part));
    }
}

TEST(TrainCommand, DrawsItsBudgetAndItsMemoryAsBars) {
    const TemporaryFolder folder;
    const std::string file = folder.file("t.svg");
    const Said said = run_command("ndsim train" + small + " --plot '" + file + "'");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    const auto json = run_command("ndsim train" + small + " --json").json();
    const double share = json["breakdown"]["bubble"].get<double>() / json["step_seconds"].get<double>();
    const std::string svg = content_of(file);
    EXPECT_THAT(svg, HasSubstr("bubble: "));
    EXPECT_THAT(svg, HasSubstr(fmt::format(", {:.1f} %</text>", 100 * share)));
    EXPECT_THAT(svg, HasSubstr("Memory of a rank of stage 0 at its peak"));
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
    EXPECT_THAT(said.out, HasSubstr("No neighbour of this layout fits"));
}

// 16 bytes for each of 8 B parameters, plus activations: too much for one GPU, but not for eight that share them.
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

TEST(TrainCommand, WritesATraceToStandardOutputInPlaceOfTheText) {
    const Said said = run_command("ndsim train" + small + " --trace -");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_TRUE(said.json().at("traceEvents").is_array());
    EXPECT_EQ(refusal("ndsim train" + small + " --trace - --json"),
              "ndsim train: --json and --trace - both want standard output; give one of them a file");
}

// The message names the request and the nearest valid value.
TEST(TrainCommand, RefusesShapesThatNoModelHas) {
    EXPECT_EQ(refusal("ndsim train --model llama3-8b --tp 2 --layers 1000000"),
              "ndsim train: --layers must be a whole number from 1 to 10000, not 1000000");
    EXPECT_THAT(
        refusal("ndsim train --model llama3-8b --hidden 4097"),
        testing::StartsWith("ndsim train: 4097 hidden numbers cannot be split over heads 32; 4096 or 4128 hidden "
                            "numbers, or heads "));
}

std::string config_json(const std::string& more) {
    return R"({"model_type": "llama", "hidden_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 8,
               "intermediate_size": 4096, "vocab_size": 32000)" +
           more + "}";
}

TEST(TrainCommand, SaysWhichSequenceAConfigJsonHasAndWhy) {
    const TemporaryFolder folder;
    ASSERT_TRUE(std::filesystem::create_directory(folder.file("Tiny-1B")));
    const std::string line = "ndsim train --global-batch 8 --model '";
    const std::string longest = folder.with("Tiny-1B/config.json", config_json(", \"max_position_embeddings\": 16384"));
    const Said said = run_command(line + longest + "'");
    EXPECT_THAT(said.out, testing::StartsWith("Tiny-1B on 8 x H100"));  // the folder's name
    EXPECT_THAT(said.out, HasSubstr("\n  - sequence 16384: max_position_embeddings of config.json, the longest it can "
                                    "take; --sequence 8192"));
    EXPECT_THAT(run_command(line + longest + "' --sequence 2048").out, testing::Not(HasSubstr("\n  - sequence ")));
    const std::string scaled =
        folder.with("scaled.json", config_json(", \"max_position_embeddings\": 131072, \"rope_scaling\": "
                                               "{\"original_max_position_embeddings\": 4096}"));
    EXPECT_THAT(
        run_command(line + scaled + "'").out,
        HasSubstr("\n  - sequence 4096: rope_scaling.original_max_position_embeddings of config.json, which it was"));
}

// 8192 x 128256 logits. Megatron-LM's fused loss keeps 2 bytes of each, with its own FSDP, too. PyTorch keeps 4, and 10
// more for a moment, which exceeds the need of any layer's backward pass.
TEST(TrainCommand, TakesTheLossOfTheFramework) {
    const auto peak = [](const std::string& options) {
        const auto json = run_command("ndsim train --model llama3-8b --gpus 64 --json " + options).json();
        return json["memory"]["peak"].get<double>();
    };
    const double logits = 8192.0 * 128256;
    EXPECT_GT(peak("--zero 3 --framework torch"), peak("--zero 3") + 2 * logits);
    EXPECT_LT(peak("--zero 3"), peak("--zero 2") - 8e9);  // 2-byte parameters are sharded, too
    const std::string out = run_command("ndsim train --model llama3-8b --gpus 64 --zero 3").out;
    EXPECT_THAT(out, HasSubstr("\n  - framework megatron: its loss takes 2 bytes per logit; --framework megatron, "
                               "deepspeed or torch chooses\n"));
    EXPECT_THAT(run_command("ndsim train --model llama3-8b --gpus 64 --framework torch").out,
                HasSubstr("\n  - framework torch: its loss takes 14 bytes per logit;"));
    const std::string plan = run_command("ndsim plan --model llama3-8b --gpus 8 --tp 8 --framework torch").out;
    EXPECT_LT(plan.find("\ntorchtitan, the first layout"), plan.find("\nMegatron-LM, the first layout, predicted as "
                                                                     "torchtitan runs it"));
}

// Half of a causal sequence's scores are masked, and FlashAttention skips them.
TEST(TrainCommand, CountsTheMaskedHalfOfAttentionOrNot) {
    const std::string line = "ndsim train --model llama3-8b --gpus 8 --sequence 131072 --global-batch 8 --json ";
    const auto all = run_command(line).json();
    EXPECT_EQ(all["hfu"], all["mfu"]);
    // Llama 3 8B: 15.0 GFLOP a token forward in matrix multiplications, and 4 x 32 x 4096 x 131072 in attention.
    const double matrices = 2 * 7.5047e9;
    const double attention = 4.0 * 32 * 4096 * 131072;
    EXPECT_NEAR(all["hfu_without_masked"].get<double>() / all["hfu"].get<double>(),
                (matrices + attention / 2) / (matrices + attention), 1e-4);
    const auto eager = run_command(line + "--flash-attention off").json();
    EXPECT_EQ(eager["hfu_without_masked"], eager["hfu"]);
}

TEST(TrainCommand, SaysWhosePriceItIs) {
    const TemporaryFolder folder;
    const std::string own = folder.with("own.toml", "base = \"dgx-h100\"\nnode_usd_per_hour = 12\n");
    const std::string based = folder.with("based.toml", "base = \"dgx-h100\"\n");
    EXPECT_THAT(run_command("ndsim train" + small + " --machine '" + own + "'").out,
                HasSubstr("at $1.50 per GPU-hour (the machine file's price; --usd-per-hour sets another)"));
    EXPECT_THAT(run_command("ndsim train" + small + " --machine '" + based + "'").out,
                HasSubstr("(a list price; --usd-per-hour sets yours)"));
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
