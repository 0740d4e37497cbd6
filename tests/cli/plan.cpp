// `ndsim plan` as a user types it.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

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
    // tp 1 and 2, two micro-batch sizes, four ways of recomputation with ZeRO 1 and two with ZeRO 3; tp 3 does not
    // divide 8 GPUs.
    EXPECT_EQ(counts["layouts"], 2 * 2 * (4 + 2) + 1);
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
}

TEST(NdsimPlan, SaysOfEachListedLayoutWhatASlowGpuAndSlowLinksCost) {
    const json found = plan("--tp 2,4,8 --micro-batch 1 --recompute full --zero 1");
    ASSERT_FALSE(found["pareto"].empty());
    for (const json& row : found["pareto"]) {
        const json& robustness = row["robustness"];
        const Said said = run_command(
            "ndsim train --model llama3-8b --machine dgx-h100 --gpus 8 --global-batch 32 "
            "--recompute full --zero 1 --fault 'slow rank 5 x1.1' --json --tp " +
            std::to_string(row["layout"]["tp"].get<int>()));
        const json step = said.json();
        // One stage: wherever the slow GPU is, its stage waits for it.
        EXPECT_NEAR(robustness["slow_gpu"].get<double>(),
                    step["step_seconds"].get<double>() / step["undisturbed_step_seconds"].get<double>() - 1, 1e-3);
        EXPECT_EQ(robustness["slow_gpu"], robustness["slow_gpu_on_average"]);
        EXPECT_EQ(robustness["slow_links_between_nodes"], false);
        EXPECT_GT(robustness["slow_links"].get<double>(), 0);
    }
}

TEST(NdsimPlan, SaysWhatItsColumnsOfRobustnessMean) {
    const std::string options = small + "--tp 8 --micro-batch 1 --zero 0 --recompute full ";
    const Said said = run_command(options);
    EXPECT_THAT(said.out, HasSubstr("  slow GPU  slow links  layout\n"));
    EXPECT_THAT(said.out,
                HasSubstr("\nslow GPU: increase of the step with one GPU that computes 10 % longer, on "
                          "the stage where that costs most\n"
                          "slow links: increase of the step with all links within the node at 50 % of their rate\n"));
    const Said csv = run_command(options + "--csv -");
    EXPECT_THAT(csv.out, HasSubstr(",pareto,slow_gpu,slow_gpu_on_average,slow_links\n"));
}

TEST(NdsimPlan, HasAColumnForTheModulesThatAreRecomputed) {
    const std::string options = small + "--tp 8 --micro-batch 1 --zero 0 --recompute none,selective --csv - ";
    const std::string csv = run_command(options + "--recompute-modules layernorm,mlp").out;
    EXPECT_THAT(csv, HasSubstr(",recompute,recompute_modules,step_seconds,"));
    EXPECT_THAT(csv, HasSubstr(",selective,\"layernorm,mlp\","));
    EXPECT_THAT(csv, HasSubstr(",none,,"));
}

TEST(NdsimPlan, IsTheSameWhateverTheNumberOfThreads) {
    const std::string options = small + "--tp 1,2,4 --json --jobs ";
    EXPECT_EQ(run_command(options + "1").out, run_command(options + "2").out);
}

// On nodes of 72 GPUs, 128 GPUs are 64 on each of two nodes, and experts are spread over both.
TEST(NdsimPlan, PrintsForEachLayoutACommandThatGivesItsTime) {
    const std::string line =
        "ndsim plan --model mixtral-8x7b --machine gb200-nvl72 --gpus 128 --global-batch 128 --tp 1 --cp 1 --pp 1,2 "
        "--interleave 1 --micro-batch 1 --ep 2,8 --zero 1,3 --list best --top 4 ";
    const Said text = run_command(line);
    const json found = run_command(line + "--json").json();
    ASSERT_EQ(found["ranking"].size(), 4U);
    for (const json& row : found["ranking"]) {
        const std::string command = row["command"];
        const json step = run_command(command + " --json").json();
        EXPECT_EQ(step["step_seconds"], row["step_seconds"]) << command;
        EXPECT_EQ(step["memory"]["peak"], row["memory_bytes"]) << command;
        EXPECT_EQ(step["layout"], row["layout"]) << command;
    }
    // The text prints the same command for the first layout, and it can be pasted as printed.
    const std::size_t begin = text.out.find("  ndsim train ");
    ASSERT_NE(begin, std::string::npos) << text.out;
    const std::string pasted = text.out.substr(begin + 2, text.out.find("\n\n", begin) - begin - 2);
    EXPECT_EQ(run_command(pasted + " --json").out,
              run_command(found["best"]["command"].get<std::string>() + " --json").out);
}

TEST(NdsimPlan, SaysHowToAskAgain) {
    const json found = plan("--tp 1,2 --micro-batch 1 --zero 1 --jobs 2");
    EXPECT_EQ(found["command"], "plan");
    EXPECT_EQ(found["given"],
              json::parse(R"({"cp":"1","global-batch":32,"gpus":"8","machine":"dgx-h100","micro-batch":"1",
                              "model":"llama3-8b","pp":"1","tp":"1,2","zero":"1"})"));
}

TEST(NdsimPlan, ListsTheFastestWhetherOrNotOthersAreSmaller) {
    const json found = plan("--list best --top 12 --zero 1,3");
    std::vector<double> steps;
    for (const json& row : found["ranking"]) {
        steps.push_back(row["step_seconds"]);
    }
    EXPECT_EQ(steps.size(), 12U);
    EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
    const json all = plan("--exhaustive --list best --top 12 --zero 1,3");
    EXPECT_EQ(found["ranking"], all["ranking"]);
    EXPECT_FALSE(plan("--zero 1").contains("ranking"));
}

// The column of the ranking that a key orders, least or most first.
std::vector<double> ranked(const json& found, const char* column) {
    std::vector<double> values;
    for (const json& row : found["ranking"]) {
        values.push_back(row[column].get<double>());
    }
    return values;
}

TEST(NdsimPlan, RanksByTheKeyThatIsAskedFor) {
    const std::string line =
        "ndsim plan --model llama3-8b --gpus 8,16 --global-batch 32 --pp 1 --cp 1 --zero 1,3 --top 12 --json --by ";
    struct Key {
        const char* by;
        const char* objective;
        const char* column;
        bool rises;
    };
    for (const auto& [by, objective, column, rises] :
         {Key{"time", "time", "step_seconds", true}, Key{"tokens", "time", "tokens_per_second", false},
          Key{"mfu", "cost", "mfu", false}, Key{"tflops", "cost", "model_flops_per_second_per_gpu", false},
          Key{"cost", "cost", "usd_per_step", true}, Key{"memory", "memory", "memory_bytes", true}}) {
        const json found = run_command(line + by).json();
        EXPECT_EQ(found["objective"], objective) << by;
        const std::vector<double> values = ranked(found, column);
        EXPECT_EQ(values.size(), 12U) << by;
        EXPECT_TRUE(rises ? std::is_sorted(values.begin(), values.end())
                          : std::is_sorted(values.begin(), values.end(), std::greater<>()))
            << by;
        EXPECT_EQ(found["ranking"], run_command(line + by + " --exhaustive").json()["ranking"]) << by;
    }
}

TEST(NdsimPlan, SaysByWhichKeyItsTableIsRanked) {
    const std::string options = small + "--tp 1,2 --micro-batch 1 --top 2 ";
    EXPECT_THAT(run_command(options + "--by memory").out,
                HasSubstr("\nThe smallest layouts of all that fit, whether or not others are faster:\n"));
    EXPECT_THAT(run_command(options + "--by mfu").out,
                HasSubstr("\nThe layouts with the highest MFU of all that fit, whether or not others are smaller:\n"));
    EXPECT_THAT(run_command(options).out, HasSubstr("\nNo other layout is faster, smaller and cheaper than one"));
    EXPECT_EQ(plan("--tp 1,2 --by time")["ranking"], plan("--tp 1,2 --list best")["ranking"]);
}

TEST(NdsimPlan, HasTheFlopsOfTrainInEveryForm) {
    const std::string options = "--tp 2 --micro-batch 1 --zero 1 --recompute none";
    const json row = plan(options)["best"];
    const json step = run_command(row["command"].get<std::string>() + " --json").json();
    const char* const key = "model_flops_per_second_per_gpu";
    EXPECT_EQ(row[key], step[key]);
    const double teraflops = step[key].get<double>() / 1e12;
    const std::string text = run_command(small + options).out;
    EXPECT_THAT(text, HasSubstr("  MFU  TFLOP/s  "));
    EXPECT_THAT(text, HasSubstr(fmt::format("  {:#.4g}  ", teraflops)));
    EXPECT_THAT(run_command(row["command"].get<std::string>()).out,
                HasSubstr(fmt::format("  {:.4g} TFLOP/s per GPU;", teraflops)));
    EXPECT_THAT(run_command(small + options + " --csv -").out, HasSubstr(fmt::format(",mfu,{},", key)));
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
              "ndsim plan: --gpus is missing: the number of GPUs; --gpus 64,128 compares two numbers\n");
    EXPECT_THAT(error("--gpus 8"), HasSubstr("--model is missing"));
    EXPECT_THAT(error("--model llama3-8b --gpus 8 --recompute ful"),
                HasSubstr("--recompute must be of none, selective, full, not \"ful\"; did you mean full?"));
    EXPECT_THAT(error("--model llama3-8b --gpus 8 --schedule 1f2b"), HasSubstr("did you mean 1f1b?"));
    EXPECT_THAT(error("--model llama3-8b --gpus 8 --json --csv -"), HasSubstr("both want standard output"));
    EXPECT_THAT(error("--model llama3-8b --gpus 8 --tp 0"), HasSubstr("--tp"));
    EXPECT_THAT(error("--model llama3-8b --gpus 8 --top 0"),
                HasSubstr("--top must be a whole number from 1 to 1000000, not 0"));
    EXPECT_THAT(error("--model llama3-8b --gpus 8 --by memroy"),
                HasSubstr("--by must be time or tokens or mfu or tflops or cost or memory, not \"memroy\"; did you "
                          "mean memory?"));
    EXPECT_THAT(error("--model llama3-8b --gpus 8 --by mfu --objective time"),
                HasSubstr("--by mfu minimises cost, and --objective time does not; leave one out"));
    EXPECT_THAT(error("--model llama3-8b --gpus 8 --by mfu --list pareto"),
                HasSubstr("--by mfu lists the best by one quantity, and --list pareto does not; leave one out"));
}

}  // namespace
