// Prices by the bytes that are read and written.
#include "tests/torch/calls.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::test;
using seam::Type;

On bf16(Integers sizes) {
    return {.sizes = std::move(sizes)};
}
On of_int64(Integers sizes) {
    return {.sizes = std::move(sizes), .type = Type::int64};
}

std::int64_t of_bytes(const Shop& shop, double bytes) {
    return shop.times.memory(bytes).count();
}

TEST(PriceOfTraffic, ReadsAnArgumentCalledOutputThatIsNoResult) {
    Shop shop;
    const Schema backward{.name = "aten::tanh_backward", .arguments = {"grad_output", "output"}};
    EXPECT_EQ(sum_of(shop.buy(backward, {bf16({5000}), bf16({5000})}, {bf16({5000})})), of_bytes(shop, 3 * 2 * 5000));
}

TEST(PriceOfTraffic, DoesNotReadWhereResultsAreToGo) {
    Shop shop;
    const Schema into{
        .name = "aten::add", .arguments = {"self", "other", "out"}, .written = {"out"}, .overload = "out"};
    EXPECT_EQ(sum_of(shop.buy(into, {bf16({5000}), bf16({5000}), bf16({5000})}, {bf16({5000})})),
              of_bytes(shop, 3 * 2 * 5000));
}

TEST(PriceOfTraffic, TakesWhatLiesOnTheHostForArguments) {
    Shop shop;
    const Schema multiply{.name = "aten::mul", .arguments = {"self", "other"}};
    On factor{.sizes = {}, .type = Type::float64};
    factor.is_on_gpu = false;
    EXPECT_EQ(sum_of(shop.buy(multiply, {bf16({5000}), factor}, {bf16({5000})})), of_bytes(shop, 2 * 2 * 5000));
    On of_host = bf16({5000});
    of_host.is_on_gpu = false;
    EXPECT_TRUE(shop.buy(multiply, {of_host, factor}, {of_host}).empty());
}

TEST(PriceOfTraffic, ReadsASideThatIsExpandedOnce) {
    Shop shop;
    On rows = bf16({300, 5000});
    rows.strides = {1, 0};
    EXPECT_EQ(sum_of(shop.buy({.name = "aten::neg", .arguments = {"self"}}, {rows}, {bf16({300, 5000})})),
              of_bytes(shop, 2 * 300 + 2 * 300 * 5000));
}

TEST(PriceOfTraffic, ReadsRowsThatNoWarpHoldsForEachOfTheirSums) {
    Shop shop;
    const Schema softmax{.name = "aten::_softmax", .arguments = {"self", "dim", "half_to_float"}};
    const Schema backward{.name = "aten::_softmax_backward_data",
                          .arguments = {"grad_output", "output", "dim", "input_dtype"}};
    const auto forward = [&](std::int64_t rows, std::int64_t length) {
        return sum_of(shop.buy(softmax, {bf16({rows, length}), std::int64_t{-1}, false}, {bf16({rows, length})}));
    };
    EXPECT_EQ(forward(4000, 1024), of_bytes(shop, 2 * 2.0 * 4000 * 1024));
    EXPECT_EQ(forward(4000, 1025), of_bytes(shop, 4 * 2.0 * 4000 * 1025));
    const On long_rows = bf16({4000, 1025});
    EXPECT_EQ(sum_of(shop.buy(backward, {long_rows, long_rows, std::int64_t{1}, None{}}, {long_rows})),
              of_bytes(shop, 5 * 2.0 * 4000 * 1025));
    // Along the other dimension rows are short.
    EXPECT_EQ(sum_of(shop.buy(softmax, {bf16({100, 40000}), std::int64_t{0}, false}, {bf16({100, 40000})})),
              of_bytes(shop, 2 * 2.0 * 100 * 40000));
}

// 8e11 elements a second one by one, on Hopper.
constexpr double single = 8e11;

std::int64_t one_by_one(const Shop& shop, double elements) {
    return duration_of_seconds(elements / single + shop.times.gpu().efficiency.kernel_gap).count();
}

TEST(PriceOfElements, TakesThemOneByOneWhereTensorsLieDifferentlyInMemory) {
    Shop shop;
    const Schema add{.name = "aten::add", .arguments = {"self", "other"}};
    On turned = bf16({8192, 4096});
    turned.is_contiguous = false;
    turned.strides = {1, 8192};
    const On plain = bf16({8192, 4096});
    const double count = 8192 * 4096;
    EXPECT_EQ(sum_of(shop.buy(add, {plain, plain}, {plain})), of_bytes(shop, 6 * count));
    // Neighbours of the result are far apart in the transposed tensor, and count as five.
    EXPECT_EQ(sum_of(shop.buy(add, {turned, plain}, {plain})), one_by_one(shop, (5 + 1 + 1) * count));
    // Tensors that are all transposed alike are as fast as contiguous ones.
    EXPECT_EQ(sum_of(shop.buy(add, {turned, turned}, {turned})), of_bytes(shop, 6 * count));
}

TEST(PriceOfElements, TakesThemOneByOneWhereOneIsASliceOrForManyRows) {
    Shop shop;
    const Schema multiply{.name = "aten::mul", .arguments = {"self", "other"}};
    On half = bf16({8192, 4096});
    half.is_contiguous = false;
    half.strides = {8192, 1};
    const double count = 8192 * 4096;
    EXPECT_EQ(sum_of(shop.buy(multiply, {half, half}, {bf16({8192, 4096})})), one_by_one(shop, 3 * count));
    EXPECT_EQ(sum_of(shop.buy(multiply, {bf16({8192, 4096}), bf16({4096})}, {bf16({8192, 4096})})),
              one_by_one(shop, 2 * count + 4096));
}

TEST(PriceOfElements, TakesThemOneByOneWhereTypesDiffer) {
    Shop shop;
    const Schema cast{.name = "aten::_to_copy", .arguments = {"self"}};
    const On wide{.sizes = {8192, 4096}, .type = Type::float32};
    const double count = 8192 * 4096;
    EXPECT_EQ(sum_of(shop.buy(cast, {bf16({8192, 4096})}, {wide})), one_by_one(shop, 2 * count));
    // A small tensor is bound by its traffic.
    EXPECT_EQ(sum_of(shop.buy(cast, {bf16({64})}, {On{.sizes = {64}, .type = Type::float32}})), of_bytes(shop, 6 * 64));
    // A cast to 16 bits has a kernel of its own.
    EXPECT_EQ(sum_of(shop.buy(cast, {wide}, {bf16({8192, 4096})})), of_bytes(shop, 6 * count));
}

TEST(PriceOfElements, OfTensorsThatLieDifferentlyIsNotThatOfOthersOfTheirSides) {
    Shop shop;
    const Schema neg{.name = "aten::neg", .arguments = {"self"}};
    const auto price = [&](Integers strides) {
        On given = bf16({8192, 4096});
        given.is_contiguous = false;
        given.strides = std::move(strides);
        return sum_of(shop.buy(neg, {given}, {bf16({8192, 4096})}));
    };
    const std::int64_t slice = price({8192, 1});
    EXPECT_NE(price({0, 1}), slice);
    EXPECT_EQ(price({8192, 1}), slice);
}

TEST(PriceOfTraffic, OfNothingIsNoKernel) {
    Shop shop;
    const Schema add{.name = "aten::add", .arguments = {"self", "other"}};
    EXPECT_TRUE(shop.buy(add, {bf16({0, 7}), bf16({0, 7})}, {bf16({0, 7})}).empty());
    EXPECT_TRUE(
        shop.buy({.name = "aten::view", .arguments = {"self", "size"}}, {bf16({6}), Integers{2, 3}}, {}).empty());
}

TEST(PriceOfPicks, FromATableOfIntegersDoesNotReadAllOfIt) {
    Shop shop;
    const Schema index{.name = "aten::index", .arguments = {"self", "indices"}, .overload = "Tensor"};
    EXPECT_EQ(sum_of(shop.buy(index, {of_int64({100000}), Lists{of_int64({300})}}, {of_int64({300})})),
              of_bytes(shop, 2 * 8 * 300 + 8 * 300));
}

TEST(PriceOfPicks, ForBagsReadsEachOfTheirRows) {
    Shop shop;
    const Schema bags{.name = "aten::_embedding_bag", .arguments = {"weight", "indices", "offsets"}};
    EXPECT_EQ(sum_of(shop.buy(bags, {bf16({50000, 64}), of_int64({1000}), of_int64({10})}, {bf16({10, 64})})),
              of_bytes(shop, 2 * 64 * 1000 + 8 * (1000 + 10) + 2 * 64 * 10));
}

TEST(PriceOfScattering, OfHalvesAddsThemAtomicallyAndPutsThemOneByOne) {
    Shop shop;
    const Schema add{.name = "aten::index_add_", .arguments = {"self", "dim", "index", "source"}, .written = {"self"}};
    const auto price = [&](Type type) {
        const On source{.sizes = {32768, 4096}, .type = type};
        const On into{.sizes = {16384, 4096}, .type = type};
        return sum_of(shop.buy(add, {into, std::int64_t{0}, of_int64({32768}), source}, {into}));
    };
    const double count = 32768 * 4096;
    EXPECT_EQ(price(Type::bfloat16), one_by_one(shop, 6.5 * count));
    EXPECT_EQ(price(Type::float32), of_bytes(shop, 3 * 4 * count + 8 * 32768));
    const Schema put{.name = "aten::index_put_", .arguments = {"self", "indices", "values"}, .written = {"self"}};
    const On rows = bf16({32768, 4096});
    EXPECT_EQ(sum_of(shop.buy(put, {rows, Lists{of_int64({32768})}, rows}, {rows})), one_by_one(shop, 3 * count));
}

TEST(PriceOfScattering, TheGradientOfATableSortsManyTokens) {
    Shop shop;
    const Schema gradient{.name = "aten::embedding_dense_backward",
                          .arguments = {"grad_output", "indices", "num_weights", "padding_idx", "scale"}};
    const auto price = [&](std::int64_t tokens) {
        return sum_of(shop.buy(gradient,
                               {bf16({tokens, 512}), of_int64({tokens}), std::int64_t{50000}, std::int64_t{-1}, false},
                               {bf16({50000, 512})}));
    };
    EXPECT_EQ(price(3072), of_bytes(shop, 3 * 2 * 3072 * 512 + 8 * 3072 + 2 * 50000 * 512));
    const double count = 3073 * 512;
    EXPECT_GT(price(3073), of_bytes(shop, 2 * 50000 * 512) + 2 * of_bytes(shop, 6 * count) + 16 * of_bytes(shop, 1));
}

TEST(PriceOfScattering, ANumberWritesWhatItTouches) {
    Shop shop;
    const Schema scatter{.name = "aten::scatter_",
                         .arguments = {"self", "dim", "index", "value"},
                         .written = {"self"},
                         .overload = "value"};
    EXPECT_EQ(sum_of(shop.buy(scatter, {bf16({100, 50}), std::int64_t{1}, of_int64({100, 2}), 1.0}, {bf16({100, 50})})),
              of_bytes(shop, 2 * 200 + 8 * 200));
    const Schema fill{.name = "aten::index_fill_",
                      .arguments = {"self", "dim", "index", "value"},
                      .written = {"self"},
                      .overload = "int_Scalar"};
    // Fills three of 50 columns.
    EXPECT_EQ(sum_of(shop.buy(fill, {bf16({100, 50}), std::int64_t{-1}, of_int64({3}), 1.0}, {bf16({100, 50})})),
              of_bytes(shop, 2 * 300 + 8 * 3));
}

}  // namespace
