// The cost of a precision: the units that multiply, and the work that quantisation adds.
#include "libsim/training/precision.hpp"

#include "libsim/training/block_time.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/kernel_time.hpp"
#include "libsim/training/memory/layer_bytes.hpp"
#include "libsim/training/step/step_plan.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::training;

// 1e15 FLOP/s in bf16, 2e15 in fp8, 4e15 in fp4, all of it reached; 1e12 B/s; no gaps.
Accelerator ideal_gpu() {
    Accelerator gpu{.name = "ideal",
                    .bf16_flops = 1e15,
                    .fp8_flops = 2e15,
                    .fp4_flops = 4e15,
                    .memory_bytes = std::int64_t{1} << 40,
                    .memory_bandwidth = 1e12,
                    .processors = 100};
    gpu.efficiency = {.gemm_peak = 1,
                      .gemm_half_flops = 0,
                      .gemm_half_side = 0,
                      .gemm_weight_gradient = 1,
                      .gemm_grouped = 1,
                      .grouped_half_rows = 0,
                      .fp8_peak = 1,
                      .fp8_half_flops = 0,
                      .fp8_rowwise = 0.5,
                      .fp8_block = 0.8,
                      .fp4_peak = 1,
                      .fp4_half_flops = 0,
                      .memory_share = 1,
                      .memory_half_bytes = 0,
                      .kernel_gap = 0};
    return gpu;
}

double seconds_of(Precision precision, GemmKind kind, Format format = Format::products) {
    Layout layout;
    layout.numerics.precision = precision;
    const Accelerator gpu = ideal_gpu();
    return KernelTimes(gpu, layout).gemm({65536, 65536, 65536}, kind, format);
}

constexpr double cube = 65536.0 * 65536 * 65536;
constexpr double square = 65536.0 * 65536;

TEST(Precision, HasARowAtItsOwnPlace) {
    for (std::size_t i = 0; i < precisions().size(); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(precisions()[i].precision), i);
        EXPECT_STREQ(name_of(precisions()[i].precision), precisions()[i].name);
    }
}

// 2 m n k over the peak of the format's units, and 6 B per element of the activation; with a scale per row 8 B, and 4 B
// per weight.
TEST(Precision, OfQuantisedProductsIsTheirUnitsAndACast) {
    const double cast = square / 1e12;
    EXPECT_DOUBLE_EQ(seconds_of(Precision::bf16, GemmKind::forward), 2 * cube / 1e15);
    EXPECT_DOUBLE_EQ(seconds_of(Precision::fp8, GemmKind::forward), 2 * cube / 2e15 + 6 * cast);
    EXPECT_DOUBLE_EQ(seconds_of(Precision::fp8_rowwise, GemmKind::forward), 2 * cube / 1e15 + (8 + 4) * cast);
    EXPECT_DOUBLE_EQ(seconds_of(Precision::fp8_block, GemmKind::forward), 2 * cube / 1.6e15 + 4.0625 * cast);
    EXPECT_DOUBLE_EQ(seconds_of(Precision::mxfp8, GemmKind::forward), 2 * cube / 2e15 + 4.0625 * cast);
    EXPECT_DOUBLE_EQ(seconds_of(Precision::nvfp4, GemmKind::forward), 2 * cube / 4e15 + 5.125 * cast);
}

// The gradient is quantised for the input-gradient product, and reused for the weight gradient.
TEST(Precision, QuantisesAGradientOnce) {
    const double product = 2 * cube / 2e15;
    EXPECT_DOUBLE_EQ(seconds_of(Precision::fp8, GemmKind::input_gradient), product + 6 * square / 1e12);
    EXPECT_DOUBLE_EQ(seconds_of(Precision::fp8, GemmKind::weight_gradient), product);
}

// Three layers with one input: queries, keys and values. By rows each quantises it for itself.
TEST(Precision, QuantisesASharedInputOncePerLayerByRows) {
    const auto seconds_more = [](Precision precision) {
        Layout layout;
        layout.numerics.precision = precision;
        const Accelerator gpu = ideal_gpu();
        const KernelTimes times(gpu, layout);
        const Gemm shape{65536, 65536, 65536};
        return times.gemm(shape, GemmKind::forward, Format::products, 3) -
               times.gemm(shape, GemmKind::forward, Format::products, 1);
    };
    EXPECT_DOUBLE_EQ(seconds_more(Precision::fp8), 0);
    EXPECT_NEAR(seconds_more(Precision::fp8_rowwise), 2 * 8 * square / 1e12, 1e-9);
}

TEST(Precision, SpeedsUpAttentionWhereTheFrameworkQuantisesIt) {
    Accelerator gpu = ideal_gpu();
    gpu.efficiency.flash_fp8_forward = 2;
    Layout layout;
    layout.framework.fp8_attention = true;
    const auto seconds = [&](Precision precision) {
        layout.numerics.precision = precision;
        return KernelTimes(gpu, layout).flash({.flops = 1e15, .heads = 64, .head_dim = 128, .keys = 4096});
    };
    EXPECT_DOUBLE_EQ(seconds(Precision::bf16), 2 * seconds(Precision::mxfp8));
}

TEST(Precision, LeavesTheRouterAndTheLogitsInBf16) {
    for (const Precision precision : {Precision::fp8, Precision::mxfp8, Precision::nvfp4}) {
        EXPECT_DOUBLE_EQ(seconds_of(precision, GemmKind::forward, Format::rest), 2 * cube / 1e15) << name_of(precision);
    }
}

Transformer dense() {
    return {.layers = 2,
            .hidden = 1024,
            .ffn = 4096,
            .heads = 8,
            .kv_heads = 8,
            .head_dim = 128,
            .vocabulary = 32000,
            .sequence = 2048,
            .biases = false};
}

// Per token in 2 B: 2 h inputs of norms, 3 h of queries, keys and values, h of attention output, 4 h before the
// activation. As inputs of products: 2 h norm results, and 4 h after the activation. Flash attention keeps 4 B of sums
// per head.
TEST(Precision, KeepsInputsOfProductsAsTheyAreMultiplied) {
    const auto kept = [](Precision precision, TrainingLoop loop) {
        Layout layout;
        layout.numerics.precision = precision;
        layout.framework.loop = loop;
        return layer_bytes(dense(), layout, 0).kept / 2048;
    };
    constexpr double others = 2 * (2 + 3 + 1 + 4) * 1024 + 4 * 8;
    EXPECT_DOUBLE_EQ(kept(Precision::bf16, TrainingLoop::megatron), others + 2 * 6 * 1024);
    EXPECT_DOUBLE_EQ(kept(Precision::fp8, TrainingLoop::megatron), others + 1 * (6 + 1) * 1024);
    EXPECT_DOUBLE_EQ(kept(Precision::nvfp4, TrainingLoop::megatron), others + 0.5625 * (6 + 1) * 1024);
    EXPECT_DOUBLE_EQ(kept(Precision::fp8, TrainingLoop::torch), others + 2 * 6 * 1024);
}

TEST(Precision, GathersParametersInOneByteWhereMegatronDoes) {
    Layout layout{.parallelism = {.dp = 2, .zero = 1}, .batch = {.micro = 1, .global = 2}};
    const auto gathered = [&](Precision precision) {
        layout.numerics.precision = precision;
        return plan_step(dense(), machine("dgx-b200"), layout).parameter_bytes;
    };
    EXPECT_EQ(gathered(Precision::bf16), 2);
    EXPECT_EQ(gathered(Precision::fp8), 1);
    EXPECT_EQ(gathered(Precision::mxfp8), 2);
    layout.framework.loop = TrainingLoop::torch;
    EXPECT_EQ(gathered(Precision::fp8), 2);
}

}  // namespace
