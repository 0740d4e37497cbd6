// Prices of attention, recurrent networks and dense linear algebra.
#include "tests/torch/calls.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::test;
using seam::Type;
using training::GemmKind;
using training::OperatorPrecision;

On bf16(Integers sizes) {
    return {.sizes = std::move(sizes)};
}
On fp32(Integers sizes) {
    return {.sizes = std::move(sizes), .type = Type::float32};
}
On of_int32(Integers sizes) {
    return {.sizes = std::move(sizes), .type = Type::int32};
}

const Schema flash{.name = "aten::_flash_attention_forward",
                   .arguments = {"query", "key", "value", "cum_seq_q", "cum_seq_k", "max_q", "max_k", "dropout_p",
                                 "is_causal", "return_debug_mask", "scale", "window_size_left", "window_size_right"}};
const Schema efficient{.name = "aten::_efficient_attention_forward",
                       .arguments = {"query", "key", "value", "bias", "cu_seqlens_q", "cu_seqlens_k", "max_seqlen_q",
                                     "max_seqlen_k", "dropout_p", "custom_mask_type"}};

std::int64_t flash_time(const Shop& shop, double tokens, double met, double sequences) {
    const double heads = 16;
    const double width = 64;
    const double flops = 2 * sequences * heads * tokens * met * 2 * width;
    return shop.times.flash({flops, sequences * heads, width, met}, OperatorPrecision::bf16).count();
}

TEST(PriceOfAttention, OfSequencesInARowTakesThemToBeEquallyLong) {
    Shop shop;
    const On rows = bf16({4096, 16, 64});
    const On ends = of_int32({5});  // of four sequences
    EXPECT_EQ(sum_of(shop.buy(flash, {rows, rows, rows, ends, ends, std::int64_t{2048}, std::int64_t{2048}, 0.0, true},
                              {rows})),
              flash_time(shop, 1024, 512, 4));
    const On one = bf16({1, 4096, 16, 64});
    EXPECT_EQ(
        sum_of(shop.buy(
            efficient,
            {one, one, one, None{}, ends, ends, std::int64_t{2048}, std::int64_t{2048}, 0.0, std::int64_t{0}}, {one})),
        flash_time(shop, 1024, 1024, 4));
}

TEST(PriceOfAttention, LeavesOutWhatLiesOutsideOfAWindow) {
    Shop shop;
    const On heads = bf16({2, 4096, 16, 64});
    const auto price = [&](std::int64_t left, std::int64_t right, bool causal) {
        return sum_of(shop.buy(flash,
                               {heads, heads, heads, None{}, None{}, std::int64_t{4096}, std::int64_t{4096}, 0.0,
                                causal, false, None{}, left, right},
                               {heads}));
    };
    EXPECT_EQ(price(-1, -1, true), flash_time(shop, 4096, 2048, 2));
    EXPECT_EQ(price(255, 0, true), flash_time(shop, 4096, 256, 2));
    EXPECT_EQ(price(255, 128, false), flash_time(shop, 4096, 384, 2));
    EXPECT_EQ(price(3000, 0, true), flash_time(shop, 4096, 2048, 2));  // the causal mean is lower than the window
}

TEST(PriceOfAttention, OfAVersionOfItsOwnIsThatVersionsWhateverTheRunIsPricedWith) {
    Shop shop;
    const Schema third{.name = "ndsim::_flash_attention_forward",
                       .arguments = {"query", "key", "value", "flash_version"}};
    const On heads = bf16({1, 1024, 16, 64});
    const training::KernelTimes::Flash pass{
        .flops = 2.0 * 16 * 1024 * 1024 * 2 * 64, .heads = 16, .head_dim = 64, .keys = 1024};
    const auto price = [&](std::int64_t version) {
        return sum_of(shop.buy(third, {heads, heads, heads, version}, {heads}));
    };
    EXPECT_EQ(price(0), shop.times.flash(pass, OperatorPrecision::bf16).count());
    const training::OperatorTimes of_third(shop.times.gpu(), 3);
    EXPECT_EQ(price(3), of_third.flash(pass, OperatorPrecision::bf16).count());
    EXPECT_LT(price(3), price(0));
}

TEST(PriceOfAttention, OfCudnnIsThatOfTheNewestVersionUnlessTheRunNamesOne) {
    Shop shop;
    const Schema cudnn{.name = "aten::_scaled_dot_product_cudnn_attention", .arguments = {"query", "key", "value"}};
    const Schema second{.name = "aten::_scaled_dot_product_flash_attention", .arguments = {"query", "key", "value"}};
    const On heads = bf16({1, 16, 4096, 64});
    const std::vector<Given> given{heads, heads, heads};
    const std::int64_t as_second = sum_of(shop.buy(second, given, {heads}));
    EXPECT_LT(sum_of(shop.buy(cudnn, given, {heads})), as_second / 2);
    torch::prices::PriceList named(training::OperatorTimes(shop.times.gpu(), 2));
    shop.list = std::move(named);
    EXPECT_EQ(sum_of(shop.buy(cudnn, given, {heads})), as_second);
}

TEST(PriceOfAttention, OfFewLongHeadsIsThatOfManyShortOnesByCudnn) {
    Shop shop;
    const Schema cudnn{.name = "aten::_scaled_dot_product_cudnn_attention", .arguments = {"query", "key", "value"}};
    const auto a_flop = [&](std::int64_t heads, std::int64_t tokens) {
        const On of = bf16({1, heads, tokens, 64});
        const On keys = bf16({1, heads, 4096, 64});
        return sum_of(shop.buy(cudnn, {of, keys, keys}, {of}));
    };
    EXPECT_EQ(a_flop(2, 32768), a_flop(16, 4096));
}

TEST(PriceOfAttention, IsCausalByTheKindOfMaskToo) {
    Shop shop;
    const On heads = bf16({2, 1024, 16, 64});
    for (const auto& [mask, met] : {std::pair{0, 1024.0}, std::pair{1, 512.0}, std::pair{2, 512.0}}) {
        EXPECT_EQ(sum_of(shop.buy(
                      efficient, {heads, heads, heads, None{}, None{}, None{}, None{}, None{}, 0.0, std::int64_t{mask}},
                      {heads})),
                  flash_time(shop, 1024, met, 2));
    }
}

const Schema rnn{
    .name = "aten::_cudnn_rnn",
    .arguments = {"input", "weight", "weight_stride0", "weight_buf", "hx", "cx", "mode", "hidden_size", "proj_size",
                  "num_layers", "batch_first", "dropout", "train", "bidirectional", "batch_sizes", "dropout_state"}};

Sold lstm(Shop& shop, const On& input, std::int64_t layers, bool batch_first, bool both_ways, const Integers& batches) {
    return shop.buy(rnn,
                    {input, Lists{bf16({1024, 128})}, std::int64_t{4}, None{}, bf16({1, 32, 256}), bf16({1, 32, 256}),
                     std::int64_t{2}, std::int64_t{256}, std::int64_t{0}, layers, batch_first, 0.0, true, both_ways,
                     batches, None{}},
                    {bf16({50, 32, 256})});
}

TEST(PriceOfARecurrentNetwork, IsAProductForAllInputsAndOneForEachStep) {
    Shop shop;
    const auto product = [&](training::Gemm shape) {
        return shop.times.matrix_product(shape, GemmKind::forward, OperatorPrecision::bf16).count();
    };
    // 50 steps of 32 rows; four gates of 256 are 1,024 columns.
    const std::int64_t steps =
        50 * (product({32, 1024, 256}) + shop.times.memory(2.0 * 32 * (2 * 1024 + 3 * 256)).count());
    const std::int64_t first = product({1600, 1024, 128}) + steps;
    EXPECT_EQ(sum_of(lstm(shop, bf16({50, 32, 128}), 1, false, false, {})), first);
    EXPECT_EQ(sum_of(lstm(shop, bf16({32, 50, 128}), 1, true, false, {})), first);
    EXPECT_EQ(sum_of(lstm(shop, bf16({1600, 128}), 1, false, false, Integers(50, 32))), first);
    EXPECT_EQ(sum_of(lstm(shop, bf16({50, 32, 128}), 2, false, false, {})), first + product({1600, 1024, 256}) + steps);
    EXPECT_EQ(sum_of(lstm(shop, bf16({50, 32, 128}), 2, false, true, {})),
              2 * first + 2 * (product({1600, 1024, 512}) + steps));
}

TEST(PriceOfLinearAlgebra, IsThatOfAProductOfAsManyFlops) {
    Shop shop;
    const auto product = [&](double n, double k, double batch) {
        return shop.times.matrix_product({n, n, k, batch}, GemmKind::forward, OperatorPrecision::fp32).count();
    };
    const Schema cholesky{.name = "aten::linalg_cholesky_ex", .arguments = {"self", "upper", "check_errors"}};
    EXPECT_EQ(sum_of(shop.buy(cholesky, {fp32({4, 600, 600})}, {fp32({4, 600, 600}), of_int32({4})})),
              product(600, 1.0 / 3 * 600 * 600 * 600 / (2.0 * 600 * 600), 4));
    const Schema solve{.name = "aten::_linalg_solve_ex", .arguments = {"A", "B", "left", "check_errors"}};
    EXPECT_EQ(sum_of(shop.buy(solve, {fp32({512, 512}), fp32({512, 64})}, {fp32({512, 64})})),
              product(512, (2.0 / 3 * 512 * 512 * 512 + 2.0 * 512 * 512 * 64) / (2.0 * 512 * 512), 1));
    const Schema triangular{.name = "aten::triangular_solve", .arguments = {"self", "A"}};
    EXPECT_EQ(sum_of(shop.buy(triangular, {fp32({512, 64}), fp32({512, 512})}, {fp32({512, 64}), fp32({512, 512})})),
              product(512, 32, 1));
}

TEST(PriceOfDistances, IsThatOfTheRowsProduct) {
    Shop shop;
    const Schema of_two{.name = "aten::_cdist_forward", .arguments = {"x1", "x2", "p", "compute_mode"}};
    EXPECT_EQ(sum_of(shop.buy(of_two, {fp32({3, 512, 64}), fp32({3, 256, 64}), 1.0}, {fp32({3, 512, 256})})),
              shop.times.matrix_product({512, 256, 64, 3}, GemmKind::forward, OperatorPrecision::fp32).count());
}

}  // namespace
