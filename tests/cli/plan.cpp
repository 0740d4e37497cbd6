// `ndsim plan` as a user types it.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using nlohmann::json;
using testing::HasSubstr;

// A small question: 8 GPUs, a handful of layouts.
const std::string small = "ndsim plan --model llama3-8b --machine dgx-h100 --gpus 8 --global-batch 32 --pp 1 --cp 1 ";

json plan(const std::string& options) {
    const Said said = run_command(small + options + " --json");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    return said.exit_code == 0 ? said.json() : json::object();
}

std::size_t refused(const json& counts) {
    std::size_t sum = 0;
    for (const auto& [why, n] : counts["refused"].items()) {
        sum += n.get<std::size_t>();
    }
    return sum;
}

TEST(NdsimPlan, CountsEveryLayoutOnce) {
    const json counts = plan("--tp 1,2,3 --micro-batch 1,2 --zero 1,3")["counts"];
    // tp 1 and 2 with two micro-batches, two stages of ZeRO, and recomputation or none; tp 3 does not divide 8 GPUs.
    EXPECT_EQ(counts["layouts"], 2 * 2 * 2 * 2 + 1);
    EXPECT_EQ(counts["refused"]["heads"], 1);
    EXPECT_EQ(refused(counts) + counts["evaluated"].get<std::size_t>() + counts["not_reached"].get<std::size_t>(),
              counts["layouts"]);
}

TEST(NdsimPlan, SaysTheBestLayoutWithItsFlags) {
    const Said said = run_command(small + "--tp 2 --micro-batch 1 --zero 1 --recompute full");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("1 of 1 layouts fit and were simulated."));
    EXPECT_THAT(said.out, HasSubstr("dp 4 tp 2 pp 1 micro-batch 1 zero 1 recompute full\n"));
    EXPECT_THAT(said.out, HasSubstr("Megatron-LM, the first layout:\n  --tensor-model-parallel-size 2\n"));
    EXPECT_THAT(said.out, HasSubstr("--parallelism.tensor_parallel_degree 2\n"));
    EXPECT_THAT(said.out, HasSubstr("parallelism:\n    dp: 4\n"));
}

TEST(NdsimPlan, IsTheSameWhateverTheNumberOfThreads) {
    const std::string options = small + "--tp 1,2,4 --json --jobs ";
    EXPECT_EQ(run_command(options + "1").out, run_command(options + "2").out);
}

TEST(NdsimPlan, EndsWithOneAndTheNearestLayoutsWhereNothingFits) {
    const Said said = run_command(
        "ndsim plan --model gpt3-175b --machine dgx-a100 --gpus 8 --global-batch 64 --tp 8 --micro-batch 1 --zero 1");
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, HasSubstr("nearest: "));
    EXPECT_THAT(said.out, HasSubstr(" GPUs would do: "));
    EXPECT_EQ(said.err, "ndsim plan: no layout fits\n");
}

TEST(NdsimPlan, SaysWhyNothingIsLegal) {
    const Said said = run_command(small + "--tp 5");
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, HasSubstr("tp = 5 does not divide 32 heads; 4 and 8 do"));
}

TEST(NdsimPlan, RefusesWhatItCannotRead) {
    const auto error = [](const std::string& options) {
        const Said said = run_command("ndsim plan " + options);
        EXPECT_EQ(said.exit_code, 2) << options;
        return said.err;
    };
    EXPECT_EQ(error("--model llama3-8b"),
              "ndsim plan: --gpus is missing: how many there are; --gpus 64,128 compares\n");
    EXPECT_THAT(error("--gpus 8"), HasSubstr("--model is missing"));
    EXPECT_THAT(error("--model llama3-8b --gpus 8 --recompute ful"),
                HasSubstr("--recompute must be of none, selective, full, not \"ful\"; did you mean full?"));
    EXPECT_THAT(error("--model llama3-8b --gpus 8 --schedule 1f2b"), HasSubstr("did you mean 1f1b?"));
    EXPECT_THAT(error("--model llama3-8b --gpus 8 --json --csv -"), HasSubstr("both want standard output"));
    EXPECT_THAT(error("--model llama3-8b --gpus 8 --tp 0"), HasSubstr("--tp"));
}

}  // namespace
