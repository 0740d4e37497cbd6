// Names that people type for models, machines and commands.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Names, OfModelsAndMachinesAreFoundHoweverTheyAreWritten) {
    const auto first_line = [](const std::string& line) {
        const std::string out = run_command(line).out;
        return out.substr(0, out.find('\n'));
    };
    EXPECT_EQ(first_line("ndsim train --model meta-llama/Llama-3.1-8B --machine p5 --gpus 8"),
              "llama3.1-8b on 8 x H100-SXM-80GB (p5.48xlarge): dp 8");
    EXPECT_THAT(first_line("ndsim hardware 'RTX 4090'"), StartsWith("RTX-4090"));
}

TEST(Names, OfTopologiesAreMachinesToo) {
    EXPECT_THAT(run_command("ndsim topology p5.48xlarge --ranks 16").out,
                StartsWith("p5.48xlarge: 16 GPUs, 16 NICs, 2 node switches, 8 network switches"));
    EXPECT_THAT(run_command("ndsim topology gb300-nvl72 --ranks 72").out, StartsWith("gb300-nvl72: 72 GPUs"));
    EXPECT_THAT(run_command("ndsim topology tpu-v5p-pod --ranks 64").out, StartsWith("tpu-v5p-pod: 64 GPUs"));
    EXPECT_EQ(run_command("ndsim collective all_reduce --topology p5 --ranks 16 --sizes 1M").exit_code, 0);
    EXPECT_THAT(run_command("ndsim topology tpu-v7-pod --ranks 128").out, StartsWith("tpu-v7-pod: 128 GPUs"));
    EXPECT_THAT(run_command("ndsim topology trn2.48xlarge").err, HasSubstr("its links have no topology here"));
}

TEST(Names, OfModelsAreListed) {
    const Said models = run_command("ndsim models");
    EXPECT_THAT(models.out, HasSubstr("llama3.3-70b"));
    EXPECT_EQ(run_command("ndsim models --json").json()["models"][0]["parameters"], 124'439'808);
    EXPECT_THAT(run_command("ndsim train --model llama9 --gpus 8").err, HasSubstr("ndsim models lists them"));
}

TEST(Names, OfCommandsHaveTheirHelpBehindTheWordHelp) {
    EXPECT_EQ(run_command("ndsim help train").out, run_command("ndsim train --help").out);
    EXPECT_EQ(run_command("ndsim help").out, run_command("ndsim --help").out);
    EXPECT_EQ(run_command("ndsim version").out, run_command("ndsim --version").out);
    EXPECT_EQ(run_command("ndsim help nosuch").exit_code, 2);
}

TEST(Names, OfStudiesAreListedWhereNoneIsNear) {
    EXPECT_THAT(run_command("ndsim goodput --study nosuch").err,
                HasSubstr("there is no study \"nosuch\"; there are alibaba-c4-after, alibaba-c4-before"));
}

// Only NVIDIA's accelerators have NCCL.
TEST(Names, OfCollectivesAreTheVendorsLibrary) {
    const auto printed = [](const char* machine, const char* more) {
        return run_command(std::string("ndsim collective all_reduce --ranks 8 --sizes 1M --machine ") + machine + more)
            .out;
    };
    for (const auto& [machine, library] : {std::pair{"mi300x-8", "RCCL"},
                                           {"gaudi3-8", "HCCL"},
                                           {"atlas-800t-a2", "HCCL"},
                                           {"trn2.48xlarge", "nccom"},
                                           {"aurora", "oneCCL"},
                                           {"tpu-v5p-pod", "XLA"}}) {
        for (const char* more : {"", " --timing both --explain-cost", " --timing both --json"}) {
            EXPECT_THAT(printed(machine, more), AllOf(HasSubstr(library), Not(ContainsRegex("[^a-zA-Z]NCCL"))))
                << machine << more;
        }
        EXPECT_THAT(printed(machine, " --json"), HasSubstr("\"timing\":\"model\""));
    }
    EXPECT_THAT(printed("dgx-h100", ""), HasSubstr("NCCL's model"));
    EXPECT_THAT(printed("dgx-h100", " --json"), HasSubstr("\"timing\":\"nccl\""));
    EXPECT_THAT(printed("tpu-v5p-pod", ""), HasSubstr("  torus\n"));
    EXPECT_THAT(printed("gaudi3-8", ""), HasSubstr("  ring\n"));
}

// Collectives of a TPU come from the compiler, so no library is named.
TEST(Names, OfTheLibraryThatAStepsCollectivesArePricedByComeFromTheMachine) {
    const auto printed = [](const char* machine) {
        return run_command(std::string("ndsim train --model llama3-8b --gpus 64 --zero 3 --machine ") + machine).out;
    };
    EXPECT_THAT(printed("dgx-h100"), HasSubstr("every collective as NCCL's tuner expects it"));
    EXPECT_THAT(printed("mi300x-8"),
                AllOf(HasSubstr("every collective by a model of rings and trees in place of"),
                      HasSubstr("RCCL's own choice, the order of the schedule"), Not(ContainsRegex("[^a-zA-Z]NCCL"))));
    EXPECT_THAT(printed("tpu-v5p-pod"),
                AllOf(HasSubstr("every collective by a model of its algorithm and links"), Not(HasSubstr("CCL"))));
    EXPECT_THAT(run_command("ndsim explain --model llama3-8b --gpus 64 --zero 3 --machine tpu-v5p-pod").out,
                Not(HasSubstr("CCL")));
}

}  // namespace
