// Attention alone, with the shipped numbers, against NVIDIA's measurements of cuDNN: docs/data/attention_kernels.csv.
#include "libsim/split.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/kernel_time.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace {

using namespace sim;
using namespace sim::training;

struct MeasuredKernel {
    KernelTimes::Flash pass;
    double seconds = 0;
};

constexpr auto columns = "gpu,pass,heads,head_dim,value_dim,tokens,window,causal,milliseconds,cudnn,file";

MeasuredKernel kernel_of(const std::vector<std::string>& cells) {
    const auto number = [&](std::size_t column) { return std::stod(cells.at(column)); };
    const double key_dim = number(3);
    const double value_dim = number(4);
    const double tokens = number(5);
    const double window = number(6);
    const bool is_causal = cells.at(7) == "yes";
    const double keys = !is_causal ? tokens : window > 0 ? window - window * window / (2 * tokens) : tokens / 2;
    KernelTimes::Flash pass{.heads = number(2), .head_dim = value_dim, .keys = keys};
    pass.backward = cells.at(1) == "backward";
    const double products = pass.backward ? 3 * key_dim + 2 * value_dim : key_dim + value_dim;
    pass.flops = 2 * tokens * keys * pass.heads * products;
    return {pass, number(8) / 1e3};
}

std::vector<MeasuredKernel> measured(const std::string& gpu) {
    std::ifstream file(NDSIM_SOURCE_DIR "/docs/data/attention_kernels.csv");
    std::string line;
    std::getline(file, line);
    EXPECT_EQ(line, columns);
    std::vector<MeasuredKernel> result;
    while (std::getline(file, line)) {
        const std::vector<std::string> cells = split(line, ',');
        if (cells.front() == gpu) {
            result.push_back(kernel_of(cells));
        }
    }
    return result;
}

// The time of cuDNN, which counts as version 3.
double seconds_of(const Accelerator& gpu, const KernelTimes::Flash& pass) {
    Layout layout;
    layout.framework.flash_version = 3;
    return KernelTimes(gpu, layout).flash(pass);
}

struct Bounds {
    const char* gpu;
    std::size_t kernels;
    double mean;  // of the absolute logarithm of predicted over measured
};

class MeasuredAttention : public testing::TestWithParam<Bounds> {};

TEST_P(MeasuredAttention, IsPredictedInShapesOfAllKinds) {
    const Accelerator gpu = accelerator(GetParam().gpu);
    const std::vector<MeasuredKernel> kernels = measured(GetParam().gpu);
    ASSERT_EQ(kernels.size(), GetParam().kernels);
    double sum = 0;
    std::size_t near = 0;
    for (const MeasuredKernel& kernel : kernels) {
        const double off = std::abs(std::log(seconds_of(gpu, kernel.pass) / kernel.seconds));
        sum += off;
        near += off < 0.2 ? 1 : 0;
    }
    EXPECT_LT(sum / static_cast<double>(kernels.size()), GetParam().mean);
    EXPECT_GE(near * 10, kernels.size() * 9);
}

INSTANTIATE_TEST_SUITE_P(Gpus, MeasuredAttention,
                         testing::Values(Bounds{"GB200", 80, 0.1}, Bounds{"GB300", 80, 0.1}, Bounds{"H200", 43, 0.05}),
                         [](const auto& which) { return which.param.gpu; });

// Blackwell loses the time of 800 keys per query: with a window of 100 it reaches 1/9 of its rate, with 7,200 keys
// 9/10.
TEST(Attention, LosesAsMuchForEachQueryHoweverFewKeysItMeets) {
    Accelerator gpu = accelerator("GB200");
    gpu.efficiency.kernel_gap = 0;
    const auto rate = [&](double keys) {
        const KernelTimes::Flash pass{.flops = 1e12 * keys, .heads = 256, .head_dim = 64, .keys = keys};
        return pass.flops / seconds_of(gpu, pass);
    };
    EXPECT_NEAR(rate(7200) / rate(100), 0.9 * 9, 1e-9);
}

}  // namespace
