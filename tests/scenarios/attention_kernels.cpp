// Attention alone, as the numbers that ship say, beside what NVIDIA measured of cuDNN: docs/data/attention_kernels.csv.
#include "libsim/split.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/kernel_time.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>

namespace {

using namespace sim;
using namespace sim::training;

struct MeasuredKernel {
    std::string gpu;
    KernelTimes::Flash pass;
    int tokens = 0;
    int window = 0;
    double seconds = 0;
    std::string line;
};

// gpu,pass,heads,head_dim,value_dim,tokens,window,causal,milliseconds,cudnn,file
MeasuredKernel read_kernel(const std::string& line) {
    const std::vector<std::string> cells = split(line, ',');
    const auto number = [&](std::size_t column) { return std::stod(cells.at(column)); };
    MeasuredKernel result{.gpu = cells.at(0),
                          .tokens = static_cast<int>(number(5)),
                          .window = static_cast<int>(number(6)),
                          .seconds = number(8) / 1e3,
                          .line = line};
    const double tokens = number(5);
    const double window = number(6);
    KernelTimes::Flash& pass = result.pass;
    pass.backward = cells.at(1) == "backward";
    pass.heads = number(2);
    pass.head_dim = number(4);
    pass.keys = cells.at(7) == "no" ? tokens : window > 0 ? window - window * window / (2 * tokens) : tokens / 2;
    pass.flops = 2 * tokens * pass.keys * pass.heads * (number(3) + number(4)) * (pass.backward ? 2.5 : 1);
    return result;
}

// Longer sequences heat a GPU until its clock falls, which a kernel within a training step does not.
std::vector<MeasuredKernel> measured(const std::string& gpu) {
    std::ifstream file(NDSIM_SOURCE_DIR "/docs/data/attention_kernels.csv");
    std::string line;
    std::getline(file, line);
    EXPECT_EQ(line, "gpu,pass,heads,head_dim,value_dim,tokens,window,causal,milliseconds,cudnn,file");
    std::vector<MeasuredKernel> result;
    while (std::getline(file, line)) {
        MeasuredKernel kernel = read_kernel(line);
        if (kernel.gpu == gpu && kernel.tokens <= 16384) {
            result.push_back(std::move(kernel));
        }
    }
    return result;
}

KernelTimes kernels_of(const Accelerator& gpu) {
    Layout layout;
    layout.framework.flash_version = 3;
    return {gpu, layout};
}

double deviation(const MeasuredKernel& kernel, const KernelTimes& kernels) {
    return std::log(kernels.flash(kernel.pass) / kernel.seconds);
}

class AttentionOnBlackwell : public testing::TestWithParam<const char*> {};

TEST_P(AttentionOnBlackwell, TakesWhatCudnnTakesInEachShape) {
    const Accelerator gpu = accelerator(GetParam());
    const KernelTimes kernels = kernels_of(gpu);
    const std::vector<MeasuredKernel> all = measured(GetParam());
    ASSERT_GE(all.size(), 30U);
    double sum = 0;
    for (const MeasuredKernel& kernel : all) {
        const double off = deviation(kernel, kernels);
        sum += std::abs(off);
        EXPECT_LT(std::abs(off), 0.3) << kernel.line;
    }
    EXPECT_LT(sum / static_cast<double>(all.size()), 0.08);
}

INSTANTIATE_TEST_SUITE_P(Gpus, AttentionOnBlackwell, testing::Values("GB200", "GB300"));

// Hopper's two passes have one factor for cuDNN over FlashAttention 2: their sum is what holds.
TEST(AttentionOnHopper, TakesWhatCudnnTakesForwardAndBackwardTogether) {
    const Accelerator gpu = accelerator("H200");
    const KernelTimes kernels = kernels_of(gpu);
    double predicted = 0;
    double found = 0;
    for (const MeasuredKernel& kernel : measured("H200")) {
        if (kernel.tokens == 4096 && kernel.window == 0 && kernel.pass.heads == 64 && kernel.pass.keys == 2048) {
            predicted += kernels.flash(kernel.pass);
            found += kernel.seconds;
        }
    }
    EXPECT_NEAR(predicted / found, 1, 0.03);
}

// A query of a window of 128 meets 126 keys of 4,096 tokens where it would meet 2,048: 16 times less work, at less than
// a quarter of the rate, because tiles of keys are as wide as that.
TEST(Attention, OfANarrowWindowIsFarFromItsPeak) {
    const Accelerator gpu = accelerator("GB200");
    const KernelTimes kernels = kernels_of(gpu);
    const auto rate = [&](double keys) {
        const KernelTimes::Flash pass{.flops = 1e12 * keys, .heads = 256, .head_dim = 64, .keys = keys};
        return pass.flops / kernels.flash(pass);
    };
    EXPECT_LT(rate(126), rate(2048) / 4);
    EXPECT_LT(rate(2048), rate(4096));
}

}  // namespace
