// Matrix products are priced by the kernel model, with the shapes and the precision of the operator's tensors.
#include "tests/torch/calls.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::test;
using seam::Type;
using training::GemmKind;
using training::OperatorPrecision;

const Schema mm{.name = "aten::mm", .arguments = {"self", "mat2"}};
const Schema scaled_mm{
    .name = "aten::_scaled_mm",
    .arguments = {"self", "mat2", "scale_a", "scale_b", "bias", "scale_result", "out_dtype", "use_fast_accum"}};
const Schema grouped_mm{.name = "aten::_grouped_mm", .arguments = {"self", "mat2", "offs", "bias", "out_dtype"}};
const Schema scaled_grouped_mm{.name = "aten::_scaled_grouped_mm",
                               .arguments = {"self", "mat2", "scale_a", "scale_b", "offs"}};

On fp8(Integers sizes) {
    return {.sizes = std::move(sizes), .type = Type::float8};
}
On fp32(Integers sizes) {
    return {.sizes = std::move(sizes), .type = Type::float32};
}
On bf16(Integers sizes) {
    return {.sizes = std::move(sizes)};
}
On of_int32(Integers sizes) {
    return {.sizes = std::move(sizes), .type = Type::int32};
}

std::int64_t product(const Shop& shop, training::Gemm shape, OperatorPrecision precision,
                     GemmKind kind = GemmKind::forward) {
    return shop.times.matrix_product(shape, kind, precision).count();
}

TEST(PriceOfAProduct, IsInTf32WhereAScriptAllowsIt) {
    Shop shop;
    const std::vector<Given> sides{fp32({4096, 512}), fp32({512, 1024})};
    EXPECT_EQ(sum_of(shop.buy(mm, sides, {fp32({4096, 1024})})),
              product(shop, {4096, 1024, 512}, OperatorPrecision::fp32));
    shop.list.tf32.products = true;
    EXPECT_EQ(sum_of(shop.buy(mm, sides, {fp32({4096, 1024})})),
              product(shop, {4096, 1024, 512}, OperatorPrecision::tf32));
}

TEST(PriceOfAProduct, OfOneOperatorFollowsASwitchOfTf32BetweenItsCalls) {
    Shop shop;
    const std::int32_t op = shop.known(mm);
    Values sides;
    sides.add(fp32({4096, 512}));
    sides.add(fp32({512, 1024}));
    Values result;
    result.add(fp32({4096, 1024}));
    const auto price = [&] { return shop.list.kernels(op, sides.data(), result.span())[0].time.count(); };
    const std::int64_t before = price();
    shop.list.tf32.products = true;
    EXPECT_EQ(price(), product(shop, {4096, 1024, 512}, OperatorPrecision::tf32));
    shop.list.tf32.products = false;
    EXPECT_EQ(price(), before);
}

TEST(PriceOfAProduct, OfIntegersOfEightBitsIsThatOfFp8) {
    Shop shop;
    const Schema int_mm{.name = "aten::_int_mm", .arguments = {"self", "mat2"}};
    const On first{.sizes = {512, 1024}, .type = Type::int8};
    const On second{.sizes = {1024, 2048}, .type = Type::int8};
    EXPECT_EQ(sum_of(shop.buy(int_mm, {first, second}, {of_int32({512, 2048})})),
              product(shop, {512, 2048, 1024}, OperatorPrecision::fp8));
}

TEST(PriceOfAScaledProduct, IsThatOfItsScales) {
    Shop shop;
    const auto price = [&](const On& scale_a, const On& scale_b) {
        return sum_of(
            shop.buy(scaled_mm, {fp8({4096, 2048}), fp8({2048, 1024}), scale_a, scale_b}, {bf16({4096, 1024})}));
    };
    const training::Gemm shape{4096, 1024, 2048};
    EXPECT_EQ(price(fp32({}), fp32({})), product(shop, shape, OperatorPrecision::fp8));
    EXPECT_EQ(price(fp32({4096, 1}), fp32({1, 1024})), product(shop, shape, OperatorPrecision::fp8_rowwise));
    EXPECT_EQ(price(fp32({4096, 16}), fp32({16, 8})), product(shop, shape, OperatorPrecision::fp8_block));
    const On exponents{.sizes = {4096 * 64}, .type = Type::other};  // float8_e8m0fnu
    EXPECT_EQ(price(exponents, exponents), product(shop, shape, OperatorPrecision::mxfp8));
}

TEST(PriceOfAScaledProduct, OfFourBitsHasTwoElementsInAByte) {
    Shop shop("gb200-nvl72");
    const On first{.sizes = {4096, 1024}, .type = Type::other};
    const On second{.sizes = {1024, 1024}, .type = Type::other};
    const On scales{.sizes = {4096 * 128}, .type = Type::float8};
    EXPECT_EQ(sum_of(shop.buy(scaled_mm, {first, second, scales, scales}, {bf16({4096, 1024})})),
              product(shop, {4096, 1024, 2048}, OperatorPrecision::nvfp4));
}

TEST(PriceOfAScaledProduct, OnAGpuWithoutUnitsForItIsThatOf16Bits) {
    Shop shop("dgx-a100");
    EXPECT_EQ(
        sum_of(shop.buy(scaled_mm, {fp8({4096, 2048}), fp8({2048, 1024}), fp32({}), fp32({})}, {bf16({4096, 1024})})),
        product(shop, {4096, 1024, 2048}, OperatorPrecision::bf16));
}

TEST(PriceOfExpertsProducts, HasItsRowsSharedOutEvenly) {
    Shop shop;
    const training::Gemm one{1024, 2048, 512, 8};  // 8,192 rows of 8 experts
    EXPECT_EQ(
        sum_of(shop.buy(grouped_mm, {bf16({8192, 512}), bf16({8, 512, 2048}), of_int32({8})}, {bf16({8192, 2048})})),
        shop.times.grouped_product(one, GemmKind::forward, OperatorPrecision::bf16).count());
    EXPECT_EQ(sum_of(shop.buy(scaled_grouped_mm,
                              {fp8({8192, 512}), fp8({8, 512, 2048}), fp32({8192}), fp32({8, 2048}), of_int32({8})},
                              {bf16({8192, 2048})})),
              shop.times.grouped_product(one, GemmKind::forward, OperatorPrecision::fp8_rowwise).count());
}

TEST(PriceOfExpertsProducts, IsAWeightsGradientWhereRowsAreSummedOver) {
    Shop shop;
    // gradient.t() @ input: 2,048 x 8,192 and 8,192 x 512
    EXPECT_EQ(
        sum_of(shop.buy(grouped_mm, {bf16({2048, 8192}), bf16({8192, 512}), of_int32({8})}, {bf16({8, 2048, 512})})),
        shop.times.grouped_product({1024, 512, 2048, 8}, GemmKind::weight_gradient, OperatorPrecision::bf16, 2)
            .count());
}

TEST(PriceOfAConvolution, ByChannelsHasAGroupForEach) {
    Shop shop;
    const Schema by_channel{.name = "aten::_conv_depthwise2d",
                            .arguments = {"self", "weight", "kernel_size", "bias", "stride", "padding", "dilation"}};
    const Schema plain{.name = "aten::convolution",
                       .arguments = {"input", "weight", "bias", "stride", "padding", "dilation", "transposed",
                                     "output_padding", "groups"}};
    const std::vector<Given> result{bf16({8, 64, 54, 54})};
    const auto same = shop.buy(
        plain,
        {bf16({8, 64, 56, 56}), bf16({64, 1, 3, 3}), None{}, None{}, None{}, None{}, false, None{}, std::int64_t{64}},
        result);
    EXPECT_EQ(sum_of(shop.buy(by_channel, {bf16({8, 64, 56, 56}), bf16({64, 1, 3, 3})}, result)), sum_of(same));
}

TEST(PriceOfAConvolution, IsTransposedByItsNameToo) {
    Shop shop;
    const Schema named{.name = "aten::slow_conv_transpose2d", .arguments = {"self", "weight"}};
    const std::vector<Given> sides{bf16({8, 64, 28, 28}), bf16({64, 32, 2, 2})};
    // Each of the 28 x 28 places is multiplied by 32 x 2 x 2 weights.
    const double count = 2 * (8 * 64 * 28 * 28 + 64 * 32 * 4 + 8 * 32 * 56 * 56);
    EXPECT_EQ(
        sum_of(shop.buy(named, sides, {bf16({8, 32, 56, 56})})),
        shop.times.convolution({8 * 28 * 28, 64, 128}, GemmKind::forward, count, OperatorPrecision::bf16).count());
}

}  // namespace
