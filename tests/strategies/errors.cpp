// Impossible splits end with exit code 2 and one line with a value that would fit.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace {

using Cases = std::vector<std::pair<std::string, std::string>>;

void expect_refusals(const std::string& scenario, const Cases& cases) {
    for (const auto& [options, what] : cases) {
        EXPECT_EQ(refusal(scenario + " " + options), scenario + ": " + what) << options;
    }
}

TEST(Unsplittable, HeadsOverTensorParallelRanks) {
    expect_refusals(
        "2d_tensor_parallel",
        {{"--ranks 3", "4 heads cannot be split over tp 3; 3 or 6 heads, or tp 2 or 4, would fit"},
         {"--tp 8", "4 heads cannot be split over tp 8; 8 heads, or tp 4, would fit"},
         {"--tp 2 --heads 5 --hidden 20", "5 heads cannot be split over tp 2; 4 or 6 heads, or tp 1 or 5, would fit"},
         {"--heads 5",
          "16 hidden numbers cannot be split over heads 5; 15 or 20 hidden numbers, or heads 4 or 8, would fit"}});
}

TEST(Unsplittable, LayersOverStagesAndChunks) {
    expect_refusals(
        "3d_pipeline_parallel",
        {{"--ranks 3", "4 layers cannot be split over pp 3; 3 or 6 layers, or pp 2 or 4, would fit"},
         {"--layers 6", "6 layers cannot be split over pp 4; 4 or 8 layers, or pp 3 or 6, would fit"},
         {"--schedule interleaved --layers 4",
          "4 layers cannot be split over pp x chunks 8; 8 layers, or pp x chunks 4, would fit"},
         {"--schedule interleaved --chunks 3 --layers 8",
          "8 layers cannot be split over pp x chunks 12; 12 layers, or pp x chunks 8, would fit"},
         {"--chunks 2", "1f1b must have one chunk per stage, not 2; interleaved takes more"},
         {"--chunks 2 --schedule zb_h1", "zb_h1 must have one chunk per stage, not 2; interleaved takes more"}});
}

TEST(Unsplittable, ItemsOverReplicasAndMicroBatches) {
    expect_refusals(
        "3d_pipeline_parallel",
        {{"--dp 4 --items 10", "10 items cannot be split over dp 4; 8 or 12 items, or dp 2 or 5, would fit"},
         {"--micro-batches 5",
          "16 items cannot be split over micro-batches 5; 15 or 20 items, or micro-batches 4 or 8, would fit"},
         {"--dp 4 --items 24",
          "24 items cannot be split over dp x micro-batches 16; 16 or 32 items, or dp x "
          "micro-batches 12 or 24, would fit"},
         {"--items 4 --micro-batches 8",
          "4 items cannot be split over micro-batches 8; 8 items, or micro-batches 4, would fit"}});
    expect_refusals(
        "4d_hybrid",
        {{"--items 10", "10 items cannot be split over dp x ep 4; 8 or 12 items, or dp x ep 2 or 5, would fit"}});
    expect_refusals("1d_data_parallel", {{"--items 3 --overlap",
                                          "3 items leave some of dp 4 without any; --zero "
                                          "and --overlap need at least 4"}});
}

TEST(Unsplittable, MicroBatchesOverStagesOfAnInterleavedSchedule) {
    expect_refusals("3d_pipeline_parallel",
                    {{"--schedule interleaved --layers 8 --micro-batches 2",
                      "interleaved needs as many micro-batches as stages: 2 over 4; 4 would fit"}});
}

TEST(Unsplittable, PositionsOverContextParallelRanks) {
    expect_refusals(
        "4d_hybrid",
        {{"--cp 3",
          "8 sequence positions cannot be split over cp 3; 6 or 9 sequence positions, or cp 2 or 4, would fit"},
         {"--cp 16", "8 sequence positions cannot be split over cp 16; 16 sequence positions, or cp 8, would fit"},
         {"--cp 2 --tp 4 --sequence-parallel --sequence 4",
          "4 sequence positions cannot be split over cp x tp 8; 8 sequence positions, or cp x tp 4, would fit"}});
    expect_refusals("2d_tensor_parallel",
                    {{"--sequence-parallel --sequence 6",
                      "6 sequence positions cannot be split over tp 4; 4 or 8 sequence positions, "
                      "or tp 3 or 6, would fit"}});
}

TEST(Unsplittable, ExpertsOverExpertParallelRanks) {
    expect_refusals(
        "4d_hybrid",
        {{"--ep 2 --experts 3", "3 experts cannot be split over ep 2; 2 or 4 experts, or ep 1 or 3, would fit"},
         {"--ep 3 --experts 4 --items 48",
          "4 experts cannot be split over ep 3; 3 or 6 experts, or ep 2 or 4, would fit"},
         {"--ep 2 --top-k 5",
          "--top-k 5 is more than the experts there are, 4; --top-k 4, or --experts 6, would fit"}});
}

TEST(Unsplittable, RanksOverTheMesh) {
    expect_refusals(
        "4d_hybrid",
        {{"--ranks 12",
          "12 ranks cannot be split over tp x pp x ep x cp 8; 8 or 16 ranks, or tp x pp x ep x cp 6 or 12, would fit"},
         {"--ranks 8 --dp 2",
          "dp 2 x tp 2 x pp 2 x ep 2 = 16 ranks, but there are 8; dp 1 or tp 1 or pp 1 or ep 1 would fit"}});
}

TEST(Exclusive, OptionsOfDataParallelismAreRefused) {
    expect_refusals(
        "1d_data_parallel",
        {{"--zero 4", "--zero must be a whole number from 0 to 3, not 4"},
         {"--zero 2 --compress top-k", "--zero and --compress exclude each other: ZeRO scatters whole gradients"},
         {"--zero 1 --synchronize direct",
          "--zero and --synchronize exclude each other: ZeRO scatters gradients around a ring"},
         {"--accumulate 2 --overlap",
          "--accumulate and --overlap exclude each other: gradients are added up once in a step"},
         {"--local-steps 2 --zero 1",
          "--local-steps and --zero exclude each other: ranks exchange models, and no gradients"},
         {"--local-steps 2 --compress 16-bit",
          "--local-steps and --compress exclude each other: ranks exchange models, and no gradients"},
         {"--local-steps 2 --checkpoint-every 1 --on-fault elastic",
          "--local-steps and --on-fault elastic exclude each other: the models that ranks trained alone are not "
          "divided "
          "anew"}});
}

// The error names the stages, their steps, and an option that would help.
TEST(BlockingSends, OfOneForwardOneBackwardEndWithExitCode3AndTheStagesThatWaitForEachOther) {
    const Said said = run_command("3d_pipeline_parallel --blocking-sends");
    EXPECT_EQ(said.exit_code, 3);
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(
        said.err,
        "3d_pipeline_parallel: with --blocking-sends, --schedule 1f1b never ends where a send waits for its receiver\n"
        "these stages wait for each other for ever:\n"
        "  stage 2, step 1: sends the activation of micro-batch 1 to stage 3\n"
        "  stage 3, step 1: sends the gradient of micro-batch 0 to stage 2\n"
        "--schedule gpipe ends; so does 1f1b without --blocking-sends\n");
}

TEST(BlockingSends, OfGPipeEnd) {
    EXPECT_EQ(run_command("3d_pipeline_parallel --quiet --blocking-sends --schedule gpipe").exit_code, 0);
}

}  // namespace
