#include "libsim/training/operator_time.hpp"

#include "libsim/training/hardware.hpp"
#include "libsim/training/operators.hpp"
#include "tests/support/training_steps.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::training;

constexpr Gemm product{1024, 2048, 512};

Accelerator plain_gpu() {
    return test::plain_machine().gpu;
}

// An accelerator whose file has no numbers for operators alone.
Accelerator with_the_steps_efficiency(const char* name) {
    Accelerator gpu = accelerator(name);
    gpu.efficiency.stream_share = 0;
    return gpu;
}

TEST(OperatorTime, OfAttentionIsThatOfItsVersion) {
    const Accelerator gpu = accelerator("h100");
    const KernelTimes::Flash flash{.flops = 1e12, .heads = 16, .head_dim = 64, .keys = 256};
    for (const int version : {1, 2, 3}) {
        Layout layout;
        layout.framework.flash_version = version;
        EXPECT_EQ(OperatorTimes(gpu, version).flash(flash, OperatorPrecision::bf16),
                  duration_of_seconds(KernelTimes(gpu, layout).flash(flash)));
    }
}

TEST(OperatorTime, IsThatOfAStepsKernelsInTheSamePrecision) {
    Layout layout;
    for (const auto& [step, alone] :
         {std::pair{Precision::bf16, OperatorPrecision::bf16}, std::pair{Precision::fp16, OperatorPrecision::fp16},
          std::pair{Precision::fp32, OperatorPrecision::fp32}}) {
        layout.numerics.precision = step;
        const Accelerator gpu = with_the_steps_efficiency("h100");
        const KernelTimes kernels(gpu, layout);
        const OperatorTimes operators(gpu);
        for (const GemmKind kind : {GemmKind::forward, GemmKind::input_gradient, GemmKind::weight_gradient}) {
            EXPECT_EQ(operators.matrix_product(product, kind, alone), duration_of_seconds(kernels.gemm(product, kind)));
        }
        const Gemm heads{128, 128, 64, 16};
        EXPECT_EQ(operators.matrix_product(heads, GemmKind::forward, alone),
                  duration_of_seconds(kernels.scores(heads)));
        const KernelTimes::Flash flash{.flops = 1e12, .heads = 16, .head_dim = 64, .keys = 256};
        EXPECT_EQ(operators.flash(flash, alone), duration_of_seconds(kernels.flash(flash)));
        EXPECT_EQ(operators.memory(1e6), duration_of_seconds(kernels.memory(1e6)));
    }
}

TEST(OperatorTime, OfAPassOverMemoryIsThatOfTheShareThatOperatorsReachAlone) {
    Accelerator gpu = with_the_steps_efficiency("h100");
    gpu.memory_bandwidth = 1e12;
    gpu.efficiency.memory_half_bytes = 0;
    gpu.efficiency.kernel_gap = 0;
    gpu.efficiency.memory_share = 0.5;
    EXPECT_EQ(OperatorTimes(gpu).memory(1e9), duration_of_seconds(2e-3));
    gpu.efficiency.stream_share = 0.8;
    EXPECT_EQ(OperatorTimes(gpu).memory(1e9), duration_of_seconds(1.25e-3));
    EXPECT_EQ(gpu.efficiency.memory_share, 0.5);
}

TEST(OperatorTime, OfAPrecisionWithoutUnitsIsThatOfFp32) {
    Accelerator gpu = plain_gpu();
    gpu.bf16_flops = 0;
    const OperatorTimes operators(gpu);
    EXPECT_EQ(operators.peak(OperatorPrecision::bf16), 20e12);
    EXPECT_EQ(operators.peak(OperatorPrecision::tf32), 20e12);
    EXPECT_EQ(operators.peak(OperatorPrecision::fp16), 300e12);
    EXPECT_EQ(operators.matrix_product(product, GemmKind::forward, OperatorPrecision::tf32),
              operators.matrix_product(product, GemmKind::forward, OperatorPrecision::fp32));
}

TEST(OperatorTime, OfAmpereAndLaterHasTf32AtHalfTheRateOf16Bits) {
    for (const char* name : {"a100", "h100", "l4", "rtx-4090", "gb200", "b200"}) {
        const OperatorTimes operators(accelerator(name));
        const double half = operators.peak(OperatorPrecision::bf16) / 2;
        EXPECT_NEAR(operators.peak(OperatorPrecision::tf32), half, half * 0.03) << name;
    }
    EXPECT_EQ(OperatorTimes(accelerator("v100")).peak(OperatorPrecision::tf32), 15.7e12);
}

TEST(OperatorTime, OfAQuantisedProductIsThatOfAStepWithoutItsCasts) {
    const Accelerator gpu = with_the_steps_efficiency("gb200");
    const OperatorTimes operators(gpu);
    Layout layout;
    for (const auto& [step, alone] : {std::pair{Precision::fp8, OperatorPrecision::fp8},
                                      std::pair{Precision::fp8_rowwise, OperatorPrecision::fp8_rowwise},
                                      std::pair{Precision::fp8_block, OperatorPrecision::fp8_block},
                                      std::pair{Precision::mxfp8, OperatorPrecision::mxfp8},
                                      std::pair{Precision::nvfp4, OperatorPrecision::nvfp4}}) {
        layout.numerics.precision = step;
        const KernelTimes kernels(gpu, layout);
        // A weight gradient uses inputs that are already in the format; other products convert their inputs to it.
        EXPECT_EQ(operators.matrix_product(product, GemmKind::weight_gradient, alone),
                  duration_of_seconds(kernels.gemm(product, GemmKind::weight_gradient)));
        EXPECT_EQ(operators.grouped_product({512, 2048, 1024, 8}, GemmKind::weight_gradient, alone),
                  duration_of_seconds(kernels.grouped_gemm({512, 2048, 1024, 8}, GemmKind::weight_gradient)));
        EXPECT_LT(operators.matrix_product(product, GemmKind::forward, alone),
                  duration_of_seconds(kernels.gemm(product, GemmKind::forward)));
        EXPECT_EQ(operators.peak(alone), gpu.peak(step));
        EXPECT_STREQ(name_of(alone), name_of(step));
    }
}

TEST(OperatorTime, OfAFormatThatAGpuHasNoUnitsForIsThatOf16Bits) {
    const Accelerator gpu = accelerator("a100");
    const OperatorTimes operators(gpu);
    EXPECT_EQ(operators.peak(OperatorPrecision::fp8), gpu.bf16_flops);
    EXPECT_EQ(operators.matrix_product(product, GemmKind::forward, OperatorPrecision::fp8),
              operators.matrix_product(product, GemmKind::forward, OperatorPrecision::bf16));
    // Four-bit inputs are multiplied in 16 bits if the GPU has only eight-bit units: they are not unpacked to eight
    // bits.
    EXPECT_EQ(OperatorTimes(accelerator("h100")).peak(OperatorPrecision::nvfp4), accelerator("h100").bf16_flops);
}

TEST(OperatorTime, OfAConvolutionCountsTheBytesThatItReadsAndNotItsUnfoldedInput) {
    const OperatorTimes operators(plain_gpu());
    const Gemm unfolded{1 << 20, 64, 576};
    const Duration few = operators.convolution(unfolded, GemmKind::forward, 1e6, OperatorPrecision::bf16);
    EXPECT_LT(few, operators.matrix_product(unfolded, GemmKind::forward, OperatorPrecision::bf16));
    EXPECT_GT(operators.convolution(unfolded, GemmKind::forward, 1e12, OperatorPrecision::bf16), few);
}

// Matches the count for a layer in operator_time.cpp; PyTorch's operators are counted in tests/python/torchrun.
TEST(OperatorTime, OfALaunchIsItsShareOfALayersFloor) {
    Layout layout;
    layout.framework.flash_attention = false;
    layout.framework.fusion = Fusion::eager;
    double forward = 0;
    double backward = 0;
    for (const Operator& op : layer_operators(test::small_gpt(), layout, 0)) {
        const bool is_product = op.kind == OperatorKind::gemm;
        forward += is_product ? 1 : op.forward_kernels;
        backward += is_product ? 2 : op.backward_kernels;  // one product per gradient
    }
    EXPECT_EQ(forward, 20);
    EXPECT_EQ(backward, 26);
    Accelerator gpu = plain_gpu();
    gpu.efficiency.kernel_floor = 55 * 148e-6 / 46;
    EXPECT_EQ(OperatorTimes(gpu).launch(), Duration{148'000'000});
    EXPECT_EQ(OperatorTimes(gpu).compiled_launch(), Duration{55'000'000});
}

}  // namespace
