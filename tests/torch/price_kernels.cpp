// Operators with several kernels, and the bytes that each of these reads and writes.
#include "tests/torch/calls.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace {

using namespace sim;
using namespace sim::test;
using seam::Type;

On bf16(Integers sizes) {
    return {.sizes = std::move(sizes)};
}
On fp32(Integers sizes) {
    return {.sizes = std::move(sizes), .type = Type::float32};
}
On of_int64(Integers sizes) {
    return {.sizes = std::move(sizes), .type = Type::int64};
}

// Picoseconds of kernels that read and write this many bytes.
std::vector<std::int64_t> of_bytes(const Shop& shop, const std::vector<double>& bytes) {
    std::vector<std::int64_t> times;
    for (const double count : bytes) {
        times.push_back(shop.times.memory(count).count());
    }
    return times;
}
std::vector<std::int64_t> times_of(const Sold& kernels) {
    std::vector<std::int64_t> times;
    for (const auto& [label, time] : kernels) {
        times.push_back(time);
    }
    return times;
}

const Schema layer_norm_backward{
    .name = "aten::native_layer_norm_backward",
    .arguments = {"grad_out", "input", "normalized_shape", "mean", "rstd", "weight", "bias", "output_mask"}};

TEST(PriceOfNorms, BackwardIsAKernelForTheInputsAndOneForTheWeights) {
    Shop shop;
    const On x = bf16({1024, 512});
    const On each = fp32({1024, 1});
    const On weight = bf16({512});
    const std::vector<Given> given{x, x, Integers{512}, each, each, weight, weight, Integers{1, 1, 1}};
    const double read = 2 * 2 * 1024 * 512 + 2 * 4 * 1024 + 2 * 2 * 512;
    // The kernel for the inputs' gradient reads everything twice: for sums over each row, and for the gradient.
    const auto all = shop.buy(layer_norm_backward, given, {x, weight, weight});
    EXPECT_EQ(times_of(all), of_bytes(shop, {2 * read + 2 * 1024 * 512, read + 2 * 2 * 512}));
    EXPECT_EQ(all[0].first, "native_layer_norm_backward");
    EXPECT_EQ(times_of(shop.buy(layer_norm_backward, given, {x, None{}, None{}})),
              of_bytes(shop, {2 * read + 2 * 1024 * 512}));
    EXPECT_EQ(times_of(shop.buy(layer_norm_backward, given, {None{}, weight, None{}})),
              of_bytes(shop, {read + 2 * 512}));
}

TEST(PriceOfNorms, CopyAGradientFirstThatIsOneNumberForMany) {
    Shop shop;
    On gradient = bf16({1024, 512});
    gradient.is_contiguous = false;
    gradient.strides = {0, 0};
    const On x = bf16({1024, 512});
    const On each = fp32({1024, 1});
    const double whole = 2 * 1024 * 512;
    EXPECT_EQ(times_of(shop.buy(layer_norm_backward,
                                {gradient, x, Integers{512}, each, each, None{}, None{}, Integers{1, 0, 0}},
                                {x, None{}, None{}})),
              of_bytes(shop, {2 + whole, 2 * (2 * whole + 2 * 4 * 1024) + whole}));
}

TEST(PriceOfNorms, OfALayerReadsItsRowsTwice) {
    Shop shop;
    const Schema layer_norm{.name = "aten::native_layer_norm",
                            .arguments = {"input", "normalized_shape", "weight", "bias", "eps"}};
    const On x = bf16({1024, 512});
    const On each = fp32({1024, 1});
    const double whole = 2 * 1024 * 512;
    EXPECT_EQ(times_of(shop.buy(layer_norm, {x, Integers{512}, None{}, None{}, 1e-5}, {x, each, each})),
              of_bytes(shop, {2 * whole + whole + 2 * 4 * 1024}));
}

TEST(PriceOfNorms, OfABatchIsItsStatisticsAndThenItsResult) {
    Shop shop;
    const Schema batch_norm{
        .name = "aten::native_batch_norm",
        .arguments = {"input", "weight", "bias", "running_mean", "running_var", "training", "momentum", "eps"}};
    const On x = fp32({4, 8, 16, 16});
    const On each = fp32({8});
    const double n = 4 * 4 * 8 * 16 * 16;
    const auto price = [&](bool training) {
        return times_of(shop.buy(batch_norm, {x, each, each, each, each, training, 0.1, 1e-5}, {x, each, each}));
    };
    EXPECT_EQ(price(true), of_bytes(shop, {n + 2 * 4 * 8, n + 4 * 4 * 8 + n}));
    EXPECT_EQ(price(false), of_bytes(shop, {n + 4 * 4 * 8 + n + 2 * 4 * 8}));
}

const Schema add_lists{
    .name = "aten::_foreach_add_", .arguments = {"self", "other", "alpha"}, .written = {"self"}, .overload = "List"};
const Schema multiply_list{
    .name = "aten::_foreach_mul_", .arguments = {"self", "scalar"}, .written = {"self"}, .overload = "Scalar"};
const Schema multiply_by_list{
    .name = "aten::_foreach_mul_", .arguments = {"self", "scalars"}, .written = {"self"}, .overload = "ScalarList"};

constexpr std::int64_t piece = 65536;

TEST(PriceOfLists, IsOneKernelUntilItsPiecesAreMoreThan320) {
    Shop shop;
    const auto price = [&](std::int64_t elements) {
        return times_of(shop.buy(multiply_list, {Lists{bf16({elements})}, 0.5}, {}));
    };
    EXPECT_EQ(price(320 * piece), of_bytes(shop, {4.0 * 320 * piece}));
    EXPECT_EQ(price(320 * piece + 2), of_bytes(shop, {4.0 * 320 * piece, 8}));
    // Two and a half launches.
    EXPECT_EQ(price(800 * piece), of_bytes(shop, {4.0 * 320 * piece, 4.0 * 320 * piece, 4.0 * 160 * piece}));
}

TEST(PriceOfLists, TakesAnotherKernelForMoreTensorsThanALaunchHasRoomFor) {
    Shop shop;
    const auto kernels = [&](const Schema& schema, std::size_t tensors, std::size_t lists) {
        std::vector<Given> given(lists, Given{Lists(tensors, bf16({1000}))});
        return shop.buy(schema, given, {}).size();
    };
    EXPECT_EQ(kernels(multiply_list, 110, 1), 1U);
    EXPECT_EQ(kernels(multiply_list, 111, 1), 2U);
    EXPECT_EQ(kernels(multiply_by_list, 96, 1), 1U);
    EXPECT_EQ(kernels(multiply_by_list, 97, 1), 2U);
    EXPECT_EQ(kernels(add_lists, 64, 2), 1U);
    EXPECT_EQ(kernels(add_lists, 129, 2), 3U);
}

TEST(PriceOfLists, CountsResultsAsAListOfTheirOwn) {
    Shop shop;
    const Schema roots{.name = "aten::_foreach_sqrt", .arguments = {"self"}};
    const Lists list(65, bf16({1000}));
    EXPECT_EQ(shop.buy(roots, {list}, {list}).size(), 2U);
}

TEST(PriceOfLists, KeepsATensorThatIsNotDoneForTheNextKernel) {
    Shop shop;
    // 109 small tensors, and one of 212 pieces: 321 pieces. The second kernel begins with the last piece.
    Lists list(109, bf16({10}));
    list.push_back(bf16({212 * piece}));
    list.push_back(bf16({30}));
    const double in_all = 4 * (109 * 10 + 212 * piece + 30);
    const double last = piece + 30;
    const double first = 109 * 10 + 211 * piece;
    EXPECT_EQ(times_of(shop.buy(multiply_list, {list, 0.5}, {})),
              of_bytes(shop, {in_all * (first / (first + last)), in_all * (last / (first + last))}));
}

TEST(PriceOfLists, IsToldAsEightKernelsAtMost) {
    Shop shop;
    const auto found = times_of(shop.buy(multiply_list, {Lists{bf16({20 * 320 * piece})}, 0.5}, {}));
    std::vector<std::int64_t> expected = of_bytes(shop, std::vector<double>(20, 4.0 * 320 * piece));
    EXPECT_EQ(found.size(), 8U);
    EXPECT_EQ(std::accumulate(found.begin(), found.end(), std::int64_t{0}),
              std::accumulate(expected.begin(), expected.end(), std::int64_t{0}));
    EXPECT_EQ(found.back(), 13 * expected.back());
}

TEST(PriceOfLists, OfAdamHasRoomFor36TensorsAndWritesNoGradients) {
    Shop shop;
    const Schema adam{.name = "aten::_fused_adam_",
                      .arguments = {"self", "grads", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs", "state_steps", "lr"},
                      .written = {"self", "grads", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs"}};
    const auto price = [&](std::size_t tensors) {
        const Lists list(tensors, fp32({5000}));
        return times_of(shop.buy(adam, {list, list, list, list, Lists{}, Lists(tensors, fp32({})), 0.1}, {}));
    };
    EXPECT_EQ(price(36), of_bytes(shop, {36 * (7 * 4 * 5000 + 4.0)}));
    EXPECT_EQ(price(37).size(), 2U);
}

TEST(PriceOfLists, ThatAreFilledReadsNothing) {
    Shop shop;
    const Schema zero{.name = "aten::_foreach_zero_", .arguments = {"self"}, .written = {"self"}};
    EXPECT_EQ(times_of(shop.buy(zero, {Lists{bf16({5000})}}, {})), of_bytes(shop, {2.0 * 5000}));
}

TEST(PriceOfNormsOfLists, ClearsSumsOfPiecesMakesThemAndAddsThemUp) {
    Shop shop;
    const Schema norms{.name = "aten::_foreach_norm", .arguments = {"self", "ord", "dtype"}, .overload = "Scalar"};
    const Lists list{fp32({3 * piece}), fp32({100})};
    const double sums = 2 * 3 * 4;  // three for each of both
    EXPECT_EQ(times_of(shop.buy(norms, {list, 2.0}, {Lists{fp32({}), fp32({})}})),
              of_bytes(shop, {sums, 4.0 * (3 * piece + 100), sums + 2 * 4}));
}

TEST(PriceOfASort, OfShortRowsIsOneKernelAndOfLongOnesOneForEachByteOfAKey) {
    Shop shop;
    const Schema sort{.name = "aten::sort", .arguments = {"self", "stable", "dim", "descending"}, .overload = "stable"};
    const auto price = [&](Integers sizes) {
        return times_of(shop.buy(sort, {fp32(sizes), None{}, std::int64_t{-1}, false}, {fp32(sizes), of_int64(sizes)}));
    };
    EXPECT_EQ(price({100, 4096}), of_bytes(shop, {100 * 4096 * (4 + 4 + 8.0)}));
    const double pass = 2 * 50000 * (4 + 8.0);
    // The eighth kernel stands for all from there on.
    const double small = 8 * 256;
    const auto found = price({50000});
    const auto expected = of_bytes(
        shop, {4 * 50000.0, small, small, small, 8 * 50000.0, small, pass, small, pass, small, pass, small, pass});
    EXPECT_EQ(found.size(), 8U);
    EXPECT_EQ(std::accumulate(found.begin(), found.end(), std::int64_t{0}),
              std::accumulate(expected.begin(), expected.end(), std::int64_t{0}));
}

TEST(PriceOfATransform, IsAPassOverAllNumbersForEachSideAndTwoForALongOne) {
    Shop shop;
    const Schema transform{.name = "aten::_fft_c2c", .arguments = {"self", "dim", "normalization", "forward"}};
    const auto price = [&](Integers sizes, Integers sides) {
        const On x{.sizes = std::move(sizes), .type = Type::complex64};
        return times_of(shop.buy(transform, {x, std::move(sides), std::int64_t{0}, true}, {x}));
    };
    const double pass = 2 * 8.0 * 256 * 512;
    EXPECT_EQ(price({256, 512}, {1}), of_bytes(shop, {pass}));
    EXPECT_EQ(price({256, 512}, {0, 1}), of_bytes(shop, {pass, pass}));
    EXPECT_EQ(price({1, 4096}, {1}).size(), 1U);
    EXPECT_EQ(price({1, 8192}, {1}).size(), 2U);
}

}  // namespace
