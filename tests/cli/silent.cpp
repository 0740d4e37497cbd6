// A command line that repeats or contradicts itself is refused in one line, never resolved silently.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::HasSubstr;
using testing::Not;

TEST(CommandLine, RefusesAnOptionThatIsGivenTwice) {
    EXPECT_EQ(refusal("ndsim train --model llama3-8b --gpus 64 --gpus 128"),
              "ndsim train: --gpus is given twice, as 64 and as 128; leave one out");
    EXPECT_EQ(refusal("ndsim memory --model llama3-8b --svg a.svg --plot b.svg"),
              "ndsim memory: --svg and --plot are one option; leave one out");
    EXPECT_THAT(refusal("0d_sequential --items 4 --items 4"), HasSubstr("--items is given twice"));
}

TEST(CommandLine, RefusesAFileThatIsCalledAnotherKind) {
    EXPECT_EQ(refusal("ndsim train --model llama3-8b --svg r.png"),
              "ndsim train: --svg writes .svg files; r.png must end with .svg");
    EXPECT_EQ(refusal("ndsim train --model llama3-8b --report r.txt"),
              "ndsim train: --report writes .html files; r.txt must end with .html");
}

TEST(CommandLine, RefusesTwoOutputsInOneFileAndOneInPlaceOfAnInput) {
    const TemporaryFolder folder;
    const std::string model = folder.with("model.json", "{}");
    const std::string out = folder.file("same");
    EXPECT_EQ(refusal("ndsim train --model llama3-8b --svg '" + out + "' --report '" + out + "'"),
              "ndsim train: --report and --svg would both write " + out + "; give one of them another file");
    EXPECT_THAT(refusal("ndsim train --model '" + model + "' --csv '" + model + "'"),
                HasSubstr("--csv would write over " + model + ", which --model reads; give it another file"));
    EXPECT_EQ(content_of(model), "{}");
}

TEST(CommandLine, TakesThePriceOfNothingAsNoPrice) {
    const Said said = run_command("ndsim train --model llama3-8b --gpus 8 --zero 3 --global-batch 8 --usd-per-hour 0");
    EXPECT_THAT(said.out, HasSubstr("  cost        not counted: --usd-per-hour is 0\n"));
}

TEST(CommandLine, TakesNumbersAsTheyAreSaid) {
    const std::string line = "ndsim train --model llama3-8b --gpus 8 --zero 3 --global-batch 8 --json ";
    const nlohmann::json said = run_command(line + "--sequence 4k --tokens 15T").json();
    const nlohmann::json plain = run_command(line + "--sequence 4096 --tokens 15e12").json();
    EXPECT_EQ(said["step_seconds"], plain["step_seconds"]);
    EXPECT_EQ(said["cost_of_run"], plain["cost_of_run"]);
    EXPECT_THAT(refusal(line + "--sequence 4q"), HasSubstr("--sequence must be a whole number"));
    EXPECT_THAT(refusal(line + "--layers 8k"), HasSubstr("--layers must be a whole number"));
}

TEST(CommandLine, RefusesASequenceThatTensorParallelRanksCannotShare) {
    EXPECT_EQ(refusal("ndsim train --model llama3-8b --gpus 64 --tp 8 --sequence 8191"),
              "ndsim train: sequence parallel: tp = 8 does not divide the 8191 tokens of a rank; 1 does, or "
              "sequence-parallel = off");
    const std::string off =
        "ndsim train --model llama3-8b --gpus 64 --tp 8 --sequence 8191 --sequence-parallel off --json";
    EXPECT_EQ(run_command(off).json()["layout"]["sequence_parallel"], false);
}

// 2^20 GPUs, of which one rank per stage is simulated.
TEST(CommandLine, TakesAMillionGpus) {
    const nlohmann::json step = run_command(
                                    "ndsim train --model llama3.1-405b --gpus 1048576 --tp 8 --pp 16 "
                                    "--global-batch 131072 --recompute full --json")
                                    .json();
    EXPECT_EQ(step["gpus"], 1 << 20);
    EXPECT_EQ(step["simulated_ranks"], 16);
    EXPECT_THAT(refusal("ndsim train --model llama3.1-405b --gpus 2000001"),
                HasSubstr("--gpus must be a whole number from 1 to 2000000"));
}

}  // namespace
