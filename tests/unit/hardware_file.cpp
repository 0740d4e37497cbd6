// A user's own machine, as TOML.
#include "libsim/error.hpp"
#include "libsim/training/hardware.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace sim;
using namespace sim::training;

Machine read(const std::string& text) {
    return machine_of_toml(text, "t.toml");
}

std::string refusal(const std::string& text) {
    try {
        read(text);
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "none";
}

Sourced number(const Hardware& hardware, const std::string& field) {
    const auto at = std::find_if(hardware.numbers.begin(), hardware.numbers.end(),
                                 [&](const Sourced& one) { return one.field == field; });
    return at == hardware.numbers.end() ? Sourced{} : *at;
}

TEST(HardwareFile, OfAnAcceleratorAndTwoNumbersIsAMachine) {
    const Machine machine = read("accelerator = 'H100-SXM-80GB'\ngpus_per_node = 4\nnic_gbit = 800");
    EXPECT_EQ(machine.name, "t.toml");
    EXPECT_EQ(machine.gpu.name, "H100-SXM-80GB");
    EXPECT_EQ(machine.scale_up, 450e9);  // the accelerator's links
    EXPECT_EQ(machine.scale_out, 25e9);  // 800 Gb/s are 100 GB/s, over 4 GPUs
    EXPECT_EQ(machine.network.ranks_per_node, 4);
    EXPECT_EQ(machine.network.across, 25e9 * machine.gpu.efficiency.nic_share);
}

TEST(HardwareFile, ChangesWhatItSaysOfItsBaseAndNothingElse) {
    const Machine base = machine("dgx-h100");
    const Machine machine = read("base = 'dgx-h100'\nname = 'ours'\nscale_out = 25e9");
    EXPECT_EQ(machine.name, "ours");
    EXPECT_EQ(machine.scale_out, 25e9);
    EXPECT_EQ(machine.scale_up, base.scale_up);
    EXPECT_EQ(machine.host_link, base.host_link);
    EXPECT_EQ(machine.gpu.efficiency.gemm_peak, base.gpu.efficiency.gemm_peak);
}

TEST(HardwareFile, PutsAnotherAcceleratorIntoABase) {
    const Machine machine = read("base = 'g4dn.12xlarge'\naccelerator = 'L4'");
    EXPECT_EQ(machine.gpu.name, "L4");
    EXPECT_EQ(machine.gpu.generation, "ada");
    EXPECT_EQ(machine.scale_up, 31.5e9);
    EXPECT_EQ(machine.gpus_per_node, 4);
    EXPECT_EQ(machine.network.ring.simple.within, 5.7e-6);  // from the node, which still has no NVLink
    EXPECT_EQ(read("base = 'dgx-h100'\n[accelerator]\nbase = 'A100'").gpu.name, "A100-SXM-80GB");
}

TEST(HardwareFile, ChangesANumberOfItsAccelerator) {
    const Machine machine = read("base = 'dgx-h100'\n[accelerator]\npower_watts = 500\nsustained_clock = 0.85");
    EXPECT_EQ(machine.gpu.name, "H100-SXM-80GB");
    EXPECT_EQ(machine.gpu.power_watts, 500);
    EXPECT_EQ(machine.gpu.sustained(Precision::bf16), 0.85 * 989e12);
    EXPECT_EQ(machine.gpu.memory_bandwidth, 3350e9);
    EXPECT_EQ(read("base = 'dgx-h100'\n[accelerator]\nmemory_gb = 96").gpu.memory_bytes, std::int64_t{96} << 30);
}

TEST(HardwareFile, DefinesAnAcceleratorFromNothing) {
    const Machine machine = read(R"(
gpus_per_node = 16
scale_up = 200e9
[accelerator]
name = "ours"
generation = "ampere"
bf16_flops = 400e12
memory_gb = 64
memory_bandwidth = 1.6e12
processors = 100
)");
    EXPECT_EQ(machine.gpu.name, "ours");
    EXPECT_EQ(machine.gpu.peak(Precision::bf16), 400e12);
    EXPECT_EQ(machine.gpu.efficiency.gemm_peak, accelerator("A100").efficiency.gemm_peak);
    EXPECT_EQ(machine.network.within, 200e9 * machine.gpu.efficiency.link_share);
    EXPECT_EQ(machine.network.across, 0);
}

TEST(HardwareFile, OverridesEveryEfficiency) {
    for (const EfficiencyField& field : efficiency_fields()) {
        const double value = (field.lowest + field.highest) / 2;
        const Machine machine = read(fmt::format("base = 'dgx-a100'\n[efficiency]\n{} = {:e}", field.name, value));
        EXPECT_NEAR(machine.gpu.efficiency.*field.field, value, 1e-6 * value) << field.name;
    }
}

TEST(HardwareFile, OverridesTheNetworksConstants) {
    const Machine machine =
        read("base = 'dgx-h100'\nswitch_sums = false\n[network]\nring.simple.across = 20e-6\nll_most = 50e9");
    EXPECT_EQ(machine.network.ring.simple.across, 20e-6);
    EXPECT_EQ(machine.network.ll_most, 50e9);
    EXPECT_EQ(machine.network.switch_bandwidth, 0);
}

TEST(HardwareFile, KeepsSourcesAndHasItsOwnLinesAsTheOthers) {
    const Hardware hardware = hardware_of_toml(R"(base = "dgx-h100"
scale_out = { value = 40e9, source = "nccl-tests, our cluster", confidence = "A" }
host_link = 20e9
[efficiency]
source = "a day of measuring"
gemm_peak = 0.7
)",
                                               "t.toml");
    EXPECT_EQ(number(hardware, "scale_out").source, "nccl-tests, our cluster");
    EXPECT_EQ(number(hardware, "scale_out").confidence, "A");
    EXPECT_EQ(number(hardware, "host_link").source, "t.toml:3");
    EXPECT_EQ(number(hardware, "efficiency.gemm_peak").source, "a day of measuring");
    EXPECT_EQ(number(hardware, "nic_gbit").value, 0);  // the base's number, which no longer applies
}

TEST(HardwareFile, SplitsThePriceOfANode) {
    EXPECT_EQ(read("base = 'dgx-h100'\nnode_usd_per_hour = 20").gpu.usd_per_hour, 2.5);
}

TEST(HardwareFile, WithoutANetworkBetweenNodesIsOneNode) {
    EXPECT_EQ(read("accelerator = 'H100'").scale_out, 0);
    EXPECT_EQ(read("accelerator = 'H100'").network.across, 0);
}

TEST(HardwareFile, RefusesUnknownKeysWithTheNearest) {
    EXPECT_EQ(refusal("base = 'dgx-h100'\nscale_ot = 1e9"), "t.toml:2: unknown key scale_ot; did you mean scale_out?");
    EXPECT_EQ(refusal("base = 'dgx-h100'\n[accelerator]\npower_wats = 1"),
              "t.toml:3: unknown key accelerator.power_wats; did you mean accelerator.power_watts?");
    EXPECT_EQ(refusal("base = 'dgx-h100'\n[efficiency]\ngem_peak = 1"),
              "t.toml:3: unknown key efficiency.gem_peak; did you mean efficiency.gemm_peak?");
    EXPECT_EQ(refusal("base = 'dgx-h100'\nscale_out = {value = 1e9, sorce = 'x'}"),
              "t.toml:2: unknown key scale_out.sorce; did you mean source?");
}

TEST(HardwareFile, RefusesNumbersThatCannotBe) {
    const std::string base = "base = 'dgx-h100'\n";
    EXPECT_EQ(refusal(base + "scale_out = -1"), "t.toml:2: scale_out must be a number, 1 or more, not -1");
    EXPECT_EQ(refusal(base + "scale_up = 0"), "t.toml:2: scale_up must be a number, 1 or more, not 0");
    EXPECT_EQ(refusal(base + "scale_up = nan"), "t.toml:2: scale_up must be a number, 1 or more, not nan");
    EXPECT_EQ(refusal(base + "nic_gbit = '400'"), "t.toml:2: nic_gbit must be a number above 0, not \"400\"");
    EXPECT_EQ(refusal(base + "gpus_per_node = 2.5"),
              "t.toml:2: gpus_per_node must be a whole number from 1 to 1e+06, not 2.5");
    EXPECT_EQ(refusal(base + "switch_sums = 1"), "t.toml:2: switch_sums must be true or false, not 1");
    EXPECT_EQ(refusal(base + "[accelerator]\nbf16_flops = {value = 0}"),
              "t.toml:3: accelerator.bf16_flops must be a number above 0, not 0");
    EXPECT_EQ(refusal(base + "[accelerator]\nmemory_gb = [80]"),
              "t.toml:3: accelerator.memory_gb must be a number above 0, not a list");
    EXPECT_EQ(refusal(base + "[efficiency]\ntensor_exposed = 2"),
              "t.toml:3: efficiency.tensor_exposed must be a number from 0 to 1, not 2");
    EXPECT_EQ(refusal(base + "[network]\nswitch_latency = -1e-6"),
              "t.toml:3: network.switch_latency must be a number from 0 to 1, not -1e-06");
}

TEST(HardwareFile, RefusesNamesThatAreNotKnown) {
    EXPECT_EQ(refusal("base = 'dgx-h10'"), "t.toml:1: there is no machine \"dgx-h10\"; did you mean dgx-h100?");
    EXPECT_EQ(refusal("\naccelerator = 'h100-sxm-80g'"),
              "t.toml:2: there is no accelerator \"h100-sxm-80g\"; did you mean h100-sxm-80gb?");
    EXPECT_EQ(refusal("base = 'dgx-h100'\n[accelerator]\ngeneration = 'hoper'"),
              "t.toml:3: there is no generation \"hoper\"; did you mean hopper?");
    EXPECT_EQ(refusal("base = 5"), "t.toml:1: base must be a text, not 5");
}

TEST(HardwareFile, RefusesWhatIsNotEnoughOrTooMuch) {
    EXPECT_EQ(refusal("gpus_per_node = 8"),
              "t.toml: base = \"MACHINE\", accelerator = \"NAME\", or a table "
              "[accelerator] with a name is missing");
    EXPECT_EQ(refusal("[accelerator]\nname = 'ours'"), "t.toml: accelerator.bf16_flops is missing");
    EXPECT_EQ(refusal("[accelerator]\nname = 'ours'\nfp16_flops = 1e14"), "t.toml: accelerator.memory_gb is missing");
    EXPECT_EQ(refusal("[accelerator]\nname = 'ours'\nfp16_flops = 1e14\nmemory_gb = 8\nmemory_bandwidth = 1e12\n"
                      "processors = 10"),
              "t.toml: scale_up is missing");
    EXPECT_EQ(refusal("base = 'dgx-h100'\nscale_out = 1e9\nnic_gbit = 100"),
              "t.toml:3: give nic_gbit or scale_out, not both");
    EXPECT_EQ(refusal("base = 'dgx-h100'\nscale_out = {value = 1e9, confidence = 'D'}"),
              "t.toml:2: confidence must be \"A\", \"B\" or \"C\", not \"D\"");
    EXPECT_EQ(refusal("base = 'dgx-h100'\nsource = 5"), "t.toml:2: source must be a text, not 5");
}

TEST(HardwareFile, RefusesWhatIsNoToml) {
    EXPECT_TRUE(refusal("base = ").starts_with("t.toml:1: ")) << refusal("base = ");
    EXPECT_EQ(refusal(""), refusal("gpus_per_node = 8"));
}

}  // namespace
