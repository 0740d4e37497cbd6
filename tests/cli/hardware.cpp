// `ndsim hardware` from outside.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(NdsimHardware, ListsMachinesAndAccelerators) {
    const Said said = run_command("ndsim hardware");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, StartsWith("machine                accelerator          GPUs"));
    EXPECT_THAT(said.out,
                HasSubstr("\ndgx-h100               H100-SXM-80GB           8            450              50"));
    EXPECT_THAT(
        said.out,
        HasSubstr("\nA100-SXM-80GB        ampere                   312          312           -           -  79.15"));
}

TEST(NdsimHardware, AsJsonListsTheSame) {
    const auto json = run_command("ndsim hardware --json").json();
    EXPECT_GE(json["machines"].size(), 22U);
    EXPECT_GE(json["accelerators"].size(), 17U);
    EXPECT_EQ(json["accelerators"][0]["name"], "A100-PCIE-40GB");
    EXPECT_EQ(json["accelerators"][0]["bf16_flops"], 312e12);
}

TEST(NdsimHardware, TellsEveryNumberOfOneWithItsSource) {
    const Said said = run_command("ndsim hardware dgx-a100");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, StartsWith("dgx-a100: nodes of 8 x A100-SXM-80GB (ampere)\n"));
    EXPECT_THAT(said.out, HasSubstr("\n  bf16_flops                312 TFLOP/s  A  stas00/ml-engineering"));
    EXPECT_THAT(said.out, HasSubstr("\n  scale_out                     25 GB/s  B  nic_gbit over 8 GPUs\n"));
    EXPECT_THAT(said.out, HasSubstr("\n  ring.simple.across              14 us  A  NVIDIA/nccl"));
    EXPECT_THAT(run_command("ndsim hardware a100").out, StartsWith("A100-SXM-80GB (ampere)\n"));
}

TEST(NdsimHardware, ReadsAFile) {
    const TemporaryFolder folder;
    const std::string file = folder.with("c.toml", "base = 'dgx-h100'\nname = 'ours'\nscale_out = 25e9\n");
    const auto json = run_command("ndsim hardware " + file + " --json").json();
    EXPECT_EQ(json["name"], "ours");
    EXPECT_EQ(json["scale_out"], 25e9);
    EXPECT_EQ(json["accelerator"]["memory_bandwidth"], 3350e9);
    bool notes = false;
    for (const auto& number : json["numbers"]) {
        EXPECT_NE(number["source"], "") << number;
        notes = notes || (number["field"] == "scale_out" && number["source"] == file + ":3");
    }
    EXPECT_TRUE(notes);
}

TEST(NdsimHardware, RefusesWhatIsNotThere) {
    const TemporaryFolder folder;
    const std::string file = folder.with("c.toml", "base = 'dgx-h100'\nscale_out = 0\n");
    EXPECT_EQ(refusal("ndsim hardware dgx-h10"),
              "ndsim hardware: there is no machine \"dgx-h10\"; did you mean dgx-h100?");
    EXPECT_EQ(refusal("ndsim hardware " + file),
              "ndsim hardware: " + file + ":2: scale_out must be a number, 1 or more, not 0");
    EXPECT_EQ(refusal("ndsim hardware nowhere.toml"), "ndsim hardware: nowhere.toml: No such file or directory");
}

}  // namespace
