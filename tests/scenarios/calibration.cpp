// calibrate_machine(): hidden numbers are found again, and numbers that cannot be found are named.
#include "libsim/fit/calibration/calibration.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/fit/calibration/calibrated_machine_file.hpp"
#include "libsim/fit/calibration/kernel_table.hpp"
#include "libsim/fit/calibration/nccl_tests.hpp"
#include "libsim/predict/machine_file.hpp"
#include "tests/support/synthetic_measurements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace {

using namespace sim;
using namespace sim::predict;
using namespace sim::fit;
using sim::test::Noise;
using testing::Contains;
using testing::HasSubstr;
using training::Efficiency;

// The cluster's true numbers, which the calibration does not see.
training::Machine hidden_machine() {
    training::Machine machine = read_machine("dgx-h100");
    Efficiency& efficiency = machine.gpu.efficiency;
    efficiency.link_share = 0.71;
    efficiency.nic_share = 0.83;
    efficiency.switch_share = 0.93;
    efficiency.gemm_peak = 0.58;
    efficiency.gemm_half_flops = 1.4e9;
    efficiency.gemm_half_side = 95;
    efficiency.gemm_unaligned = 0.66;
    efficiency.fp8_peak = 0.62;
    efficiency.fp8_half_flops = 6e9;
    efficiency.flash_forward = 0.47;
    efficiency.flash_backward = 0.34;
    efficiency.memory_share = 0.74;
    efficiency.memory_half_bytes = 3.3e6;
    efficiency.kernel_gap = 2.6e-6;
    for (const Latencies which : {Latencies::within, Latencies::across}) {
        for (const NamedLatency& one : latencies_of(machine.network, which)) {
            *one.seconds *= which == Latencies::within ? 1.6 : 0.7;
        }
    }
    machine.derive_network();
    return machine;
}

double hidden_value(const training::Machine& hidden, const CalibratedNumber& number) {
    return number.latencies == Latencies::within   ? 1.6
           : number.latencies == Latencies::across ? 0.7
                                                   : value_in(hidden, number);
}

CalibrationData measured_on(const training::Machine& machine, double noise_share, std::uint64_t seed) {
    Noise noise(noise_share, seed);
    CalibrationData data;
    const auto add = [&](const test::SyntheticCollective& what, const std::string& file) {
        const auto more = read_nccl_tests(nccl_tests_output(machine, what, noise), file);
        data.collectives.insert(data.collectives.end(), more.begin(), more.end());
    };
    add({}, "a.txt");
    add({.program = "all_gather", .kind = CollectiveKind::all_gather}, "b.txt");
    add({.nodes = 4}, "c.txt");
    add({.program = "all_gather", .kind = CollectiveKind::all_gather, .nodes = 4}, "d.txt");
    data.kernels = read_kernel_table(kernel_table(machine, noise, true), "kernels.csv");
    return data;
}

std::map<std::string, FoundNumber> numbers_by_name(const Calibration& calibration) {
    std::map<std::string, FoundNumber> all;
    for (const FoundNumber& one : calibration.numbers) {
        all.emplace(one.number->name, one);
    }
    return all;
}

TEST(Calibration, FindsHiddenNumbersWithinFivePercentOrSaysWhichItCannot) {
    const training::Machine hidden = hidden_machine();
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
        const Calibration calibration = calibrate_machine(read_machine("dgx-h100"), measured_on(hidden, 0.03, seed));
        int found = 0;
        for (const FoundNumber& one : calibration.numbers) {
            const double truth = hidden_value(hidden, *one.number);
            if (one.finding == Finding::found) {
                ++found;
                EXPECT_NEAR(one.value / truth, 1, 0.05) << one.number->name << ", seed " << seed;
            }
        }
        EXPECT_GE(found, 9) << "seed " << seed;
    }
}

TEST(Calibration, WithoutNoiseFindsEveryNumberToTheTenthOfAPercent) {
    const training::Machine hidden = hidden_machine();
    const Calibration calibration = calibrate_machine(read_machine("dgx-h100"), measured_on(hidden, 0, 1));
    EXPECT_EQ(calibration.numbers.size(), 16U);
    for (const FoundNumber& one : calibration.numbers) {
        EXPECT_EQ(one.finding, Finding::found) << one.number->name;
        // nccl-tests print times with four digits.
        EXPECT_NEAR(one.value / hidden_value(hidden, *one.number), 1, 0.001) << one.number->name;
    }
    for (const FileError& file : calibration.files) {
        EXPECT_LT(file.after, 1e-3) << file.file;
        EXPECT_GT(file.before, 0.05) << file.file;
    }
}

TEST(Calibration, OfLargeSquareProductsAloneDoesNotTellThePeakFromWhatHoldsSmallOnesBack) {
    const training::Machine hidden = hidden_machine();
    CalibrationData data;
    Noise noise(0.03, 7);
    for (int i = 0; i < 20; ++i) {
        const TimedKernel kernel{.gemm = {8192, 8192, 8192, 1}};
        data.kernels.push_back({"k.csv", i + 1, expected_seconds({"", 0, 0, kernel}, hidden) * noise.factor(), kernel});
    }
    const auto numbers = numbers_by_name(calibrate_machine(read_machine("dgx-h100"), data));
    // One shape determines one number: the others keep their values, and the report says that the peak depends on them.
    EXPECT_EQ(numbers.at("gemm_half_flops").finding, Finding::kept);
    EXPECT_EQ(numbers.at("gemm_half_flops").value, 5e8);
    EXPECT_NE(numbers.at("gemm_peak").finding, Finding::kept);
    for (const char* never : {"memory_share", "fp8_peak", "flash_forward", "link_share"}) {
        EXPECT_FALSE(numbers.contains(never)) << never;
    }
}

TEST(Calibration, OfANumberThatNothingSeesKeepsItAndSaysSo) {
    const training::Machine hidden = hidden_machine();
    Noise noise(0.03, 3);
    CalibrationData data;
    // All sizes are large, so no latency shows.
    data.collectives = read_nccl_tests(
        nccl_tests_output(hidden, {.program = "all_gather", .kind = CollectiveKind::all_gather, .smallest = 1 << 30},
                          noise),
        "a.txt");
    const auto numbers = numbers_by_name(calibrate_machine(read_machine("dgx-h100"), data));
    EXPECT_EQ(numbers.at("latencies within a node").finding, Finding::kept);
    EXPECT_EQ(numbers.at("latencies within a node").value, 1);
    EXPECT_EQ(numbers.at("link_share").finding, Finding::found);
    EXPECT_NEAR(numbers.at("link_share").value, 0.71, 0.05 * 0.71);
    EXPECT_FALSE(numbers.contains("nic_share"));
}

TEST(Calibration, OneWrongMeasurementInTenMovesNothing) {
    const training::Machine hidden = hidden_machine();
    CalibrationData data = measured_on(hidden, 0.01, 1);
    for (std::size_t i = 0; i < data.kernels.size(); i += 10) {
        data.kernels[i].seconds *= 3;
    }
    const auto numbers = numbers_by_name(calibrate_machine(read_machine("dgx-h100"), data));
    EXPECT_NEAR(numbers.at("gemm_peak").value, 0.58, 0.05 * 0.58);
    EXPECT_NEAR(numbers.at("memory_share").value, 0.74, 0.05 * 0.74);
}

TEST(Calibration, MakesAMachineFileThatIsReadAsTheMachineThatWasFound) {
    const training::Machine hidden = hidden_machine();
    const std::string base =
        "accelerator = 'h100'\nname = 'mine'\ngpus_per_node = 8\nnic_gbit = 3200\n"
        "[efficiency]\nlink_share = 0.8\nstep_overhead = { value = 0.01, source = 'a log' }\n";
    const training::Machine before = training::machine_of_toml(base, "mine.toml");
    const Calibration calibration = calibrate_machine(before, measured_on(hidden, 0.03, 1));
    const std::string text = calibrated_machine_file(calibration, "mine.toml", base, "ours");
    const training::Hardware after = training::hardware_of_toml(text, "ours.toml");
    EXPECT_EQ(after.machine.name, "ours");
    EXPECT_EQ(after.machine.gpu.efficiency.step_overhead, 0.01);
    for (const FoundNumber& one : calibration.numbers) {
        if (one.number->field != nullptr) {
            EXPECT_NEAR(value_in(after.machine, *one.number) / one.value, 1, 1e-5) << one.number->name;
        }
    }
    // The measurements are of kernels alone, so the number that prices PyTorch's operators follows.
    EXPECT_EQ(after.machine.gpu.efficiency.stream_share, after.machine.gpu.efficiency.memory_share);
    EXPECT_EQ(calibration.machine.gpu.efficiency.stream_share, calibration.machine.gpu.efficiency.memory_share);
    EXPECT_NEAR(after.machine.network.ring.ll.base / calibration.machine.network.ring.ll.base, 1, 1e-5);
    EXPECT_NEAR(after.machine.network.across / calibration.machine.network.across, 1, 1e-5);
}

TEST(Calibration, RefusesAMeasurementThatTheMachineCannotHaveMade) {
    CalibrationData data;
    data.kernels = read_kernel_table("kind,precision,m,n,k,seconds\nforward,fp8,64,64,64,1e-5\n", "k.csv");
    try {
        calibrate_machine(read_machine("dgx-a100"), data);
        FAIL() << "was taken";
    } catch (const config::UsageError& error) {
        EXPECT_STREQ(error.what(), "k.csv:2: dgx-a100 cannot have measured it: A100-SXM-80GB has no units for fp8");
    }
}

}  // namespace
