// What is read and what is written.
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
    // Three of 50 columns.
    EXPECT_EQ(sum_of(shop.buy(fill, {bf16({100, 50}), std::int64_t{-1}, of_int64({3}), 1.0}, {bf16({100, 50})})),
              of_bytes(shop, 2 * 300 + 8 * 3));
}

}  // namespace
