// Signatures, the bill, and chains.
#include "tests/torch/calls.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace sim;
using namespace sim::test;
using namespace sim::torch::prices;
using seam::Type;

constexpr std::int64_t n = 1 << 20;

On of(std::uint64_t storage, std::int64_t elements = n) {
    return {.sizes = {elements}, .storage = storage};
}

const Schema add{.name = "aten::add", .arguments = {"self", "other"}};
const Schema tanh_of{.name = "aten::tanh", .arguments = {"self"}};
const Schema sigmoid{.name = "aten::sigmoid", .arguments = {"self"}};
const Schema multiply{.name = "aten::mul", .arguments = {"self", "other"}};
const Schema mm{.name = "aten::mm", .arguments = {"self", "mat2"}};

Sold kernel(const Shop& shop, const char* label, double bytes) {
    return {{label, shop.times.memory(bytes).count()}};
}

TEST(PriceList, TellsCallsApartByWhatTheirPriceDependsOn) {
    Shop shop;
    const Schema attention{.name = "aten::_scaled_dot_product_flash_attention",
                           .arguments = {"query", "key", "value", "dropout_p", "is_causal"}};
    const std::int32_t op = shop.known(attention);
    const On heads{.sizes = {2, 16, 1024, 64}};
    const auto price = [&](bool causal, const On& query) {
        Values given;
        for (const Given& one : {Given{query}, Given{heads}, Given{heads}, Given{0.0}, Given{causal}}) {
            given.add(one);
        }
        Values made;
        made.add(query);
        return shop.list.kernels(op, given.data(), made.span())[0].time;
    };
    const Duration full = price(false, heads);
    EXPECT_LT(price(true, heads), full);
    EXPECT_LT(price(false, {.sizes = {2, 16, 512, 64}}), full);
    EXPECT_GT(price(false, {.sizes = {2, 16, 1024, 64}, .type = Type::float32}), full);
    EXPECT_EQ(price(false, heads), full);
}

TEST(PriceList, KeepsThousandsOfSignatures) {
    Shop shop;
    const std::int32_t op = shop.known(tanh_of);
    for (int round = 0; round < 2; ++round) {
        for (std::int64_t side = 1; side <= 3000; ++side) {
            Values given;
            given.add(On{.sizes = {side, 7}});
            const auto kernels = shop.list.kernels(op, given.data(), given.span());
            ASSERT_EQ(kernels[0].time, shop.times.memory(static_cast<double>(2 * 2 * side * 7)));
        }
    }
    EXPECT_EQ(shop.list.rows().at(0).count, 6000);
}

TEST(PriceList, TellsWhatItGuessed) {
    Shop shop;
    const Schema unknown{.name = "aten::_some_operator_of_tomorrow", .arguments = {"a", "b"}};
    EXPECT_EQ(shop.buy(unknown, {of(1), of(2)}, {of(3)}), kernel(shop, "_some_operator_of_tomorrow", 3 * 2 * n));
    EXPECT_EQ(shop.list.guessed(), std::vector<std::string>{"_some_operator_of_tomorrow"});
    const std::string text = bill_text(shop.list.rows());
    EXPECT_NE(text.find("(guessed)\n"), std::string::npos);
    EXPECT_TRUE(text.ends_with("guessed, because no rule covers them: _some_operator_of_tomorrow\n"));
}

TEST(Bill, HasARowForEachOperatorAndWayOfPricingTheDearestFirst) {
    Shop shop;
    const On square{.sizes = {1024, 1024}};
    shop.buy(tanh_of, {of(1)}, {of(2)});
    shop.buy(tanh_of, {of(1)}, {of(2)});
    shop.buy(mm, {square, square}, {square});
    shop.buy({.name = "aten::t", .arguments = {"self"}}, {square}, {square});
    const auto product =
        shop.times.matrix_product({1024, 1024, 1024}, training::GemmKind::forward, training::OperatorPrecision::bf16);
    const Duration traffic = shop.times.memory(2 * 2 * n);
    const std::vector<Row> rows = shop.list.rows();
    ASSERT_EQ(rows.size(), 3U);
    const bool first_is_product = product > 2 * traffic;
    const Row& of_product = rows[first_is_product ? 0 : 1];
    const Row& of_traffic = rows[first_is_product ? 1 : 0];
    EXPECT_EQ(report::Json({{"operator", "tanh"},
                            {"count", 2},
                            {"seconds", seconds(2 * traffic)},
                            {"how", "memory traffic"},
                            {"of_peak", 2 * (4.0 * n / 3350e9) / seconds(2 * traffic)},
                            {"guessed", false},
                            {"share", seconds(2 * traffic) / seconds(2 * traffic + product)}}),
              row_record().json(of_traffic));
    EXPECT_EQ(of_product.how, "matrix product bf16");
    EXPECT_EQ(of_product.of_peak, 2.0 * 1024 * 1024 * 1024 / 989e12 / seconds(product));
    EXPECT_EQ(row_record().json(rows[2])["of_peak"], nullptr);
    EXPECT_EQ(rows[2].label, "views and metadata");
}

TEST(Bill, IsATextWhoseLastRowIsTheOthers) {
    const std::vector<Row> rows{
        {.label = "mm", .count = 3, .seconds = 3e-3, .how = "matrix product bf16", .of_peak = 0.6, .share = 0.75},
        {.label = "add", .count = 10, .seconds = 0.5e-3, .how = "memory traffic", .of_peak = 0.5, .share = 0.125},
        {.label = "mul", .count = 2, .seconds = 0.5e-3, .how = "memory traffic", .of_peak = 0.5, .share = 0.125}};
    EXPECT_EQ(bill_text(rows, 1),
              "operator  count  GPU time   share  priced as\n"
              "mm            3  3.000 ms  75.0 %  matrix product bf16, 60 % of peak\n"
              "2 others     12  1.000 ms  25.0 %\n");
}

TEST(PriceListOfACompiledRegion, FusesWhatIsElementWise) {
    Shop shop;
    shop.list.is_compiled = true;
    EXPECT_TRUE(shop.buy(add, {of(1), of(2)}, {of(3)}).empty());
    EXPECT_TRUE(shop.buy(tanh_of, {of(3)}, {of(4)}).empty());
    EXPECT_TRUE(shop.buy(multiply, {of(4), 2.0}, {of(5)}).empty());
    EXPECT_EQ(sold(shop.list.flush()), kernel(shop, "fused add+tanh+mul", 3 * 2 * n));
    EXPECT_TRUE(shop.list.flush().empty());
}

TEST(PriceListOfACompiledRegion, EndsAChainBeforeTheProductThatReadsIt) {
    Shop shop;
    shop.list.is_compiled = true;
    const auto square = [](std::uint64_t storage) { return On{.sizes = {1024, 1024}, .storage = storage}; };
    shop.buy(sigmoid, {square(1)}, {square(2)});
    const auto product =
        shop.times.matrix_product({1024, 1024, 1024}, training::GemmKind::forward, training::OperatorPrecision::bf16);
    Sold expected = kernel(shop, "fused sigmoid", 2 * 2 * n);
    expected.emplace_back("mm", product.count());
    EXPECT_EQ(shop.buy(mm, {square(2), square(3)}, {square(4)}), expected);
}

TEST(PriceListOfACompiledRegion, MakesAgainWhatIsCheapAndWritesWhatIsNot) {
    Shop shop;
    shop.list.is_compiled = true;
    shop.buy(sigmoid, {of(1)}, {of(2)});
    shop.buy(multiply, {of(2), 2.0}, {of(3)});
    EXPECT_EQ(sold(shop.list.flush()), kernel(shop, "fused sigmoid+mul", 2 * 2 * n));
    shop.buy(multiply, {of(4), of(2)}, {of(5)});  // reads 1 instead of 2
    EXPECT_EQ(sold(shop.list.flush()), kernel(shop, "fused mul", 3 * 2 * n));
    shop.buy(add, {of(11), of(12)}, {of(13)});
    shop.buy(multiply, {of(13), 2.0}, {of(14)});
    EXPECT_EQ(sold(shop.list.flush()), kernel(shop, "fused add+mul", 3 * 2 * n));
    shop.buy(add, {of(13), of(15)}, {of(16)});  // 13 was written after all
    EXPECT_EQ(sold(shop.list.flush()), kernel(shop, "fused add", (3 + 1) * 2 * n));
}

TEST(PriceListOfACompiledRegion, MakesACastAgainAndWritesIntoWhatWasThere) {
    const Schema copy_into{"aten::copy_", {"self", "src"}, {"self"}};
    Shop shop;
    shop.list.is_compiled = true;
    const auto cast_and_taken = [&](std::uint64_t into) {
        shop.buy(copy_into, {of(into), of(1)}, {of(into)});
        shop.buy(multiply, {of(into), 2.0}, {of(20)});
        return sold(shop.list.flush());
    };
    shop.buy(tanh_of, {of(1)}, {of(9)});
    shop.list.flush();
    EXPECT_EQ(cast_and_taken(10), kernel(shop, "fused copy+mul", 2 * 2 * n));
    EXPECT_EQ(cast_and_taken(9), kernel(shop, "fused copy+mul", 3 * 2 * n));
}

// The gradient of silu(gate) * up: one kernel reads three tensors and writes two, whatever comes between its operators.
TEST(PriceListOfACompiledRegion, LetsJoinAChainWhatComesBehindTheProductThatEndedIt) {
    const Schema silu{.name = "aten::silu", .arguments = {"self"}};
    const Schema silu_backward{.name = "aten::silu_backward", .arguments = {"grad_output", "self"}};
    const On gate = of(1);
    const On up = of(2);
    const On gradient = of(5);
    const auto forward_and_first = [&](Shop& shop) {
        shop.list.is_compiled = true;
        shop.buy(silu, {gate}, {of(3)});
        shop.buy(multiply, {of(3), up}, {of(4)});
        shop.list.flush();
        shop.buy(mm, {of(8, 64), of(8, 64)}, {gradient});
        shop.buy(multiply, {gradient, up}, {of(6)});
        shop.buy(multiply, {gradient, of(3)}, {of(7)});
        const On square{.sizes = {1 << 10, 1 << 10}, .storage = 7};
        return shop.buy(mm, {square, square}, {of(9)}).front();
    };
    Shop together;
    EXPECT_EQ(forward_and_first(together), kernel(together, "fused mul", 5 * 2 * n).front());
    together.buy(silu_backward, {of(6), gate}, {of(10)});
    EXPECT_TRUE(sold(together.list.flush()).empty());
    Shop apart;
    forward_and_first(apart);
    apart.buy(add, {of(6), of(9)}, {of(10)});  // the product's result is newer
    EXPECT_EQ(sold(apart.list.flush()), kernel(apart, "fused add", 3 * 2 * n));
}

TEST(PriceListOfACompiledRegion, LeavesItsOptimizerAsItIs) {
    Shop shop;
    EXPECT_EQ(sold(shop.list.flush()), Sold{});
    EXPECT_EQ(shop.buy(tanh_of, {of(1)}, {of(2)}), kernel(shop, "tanh", 2 * 2 * n));
    shop.list.is_compiled = true;
    EXPECT_TRUE(shop.buy(tanh_of, {of(1)}, {of(2)}).empty());
}

TEST(PriceListOfACompiledRegion, ChargesTheOldestOfManyChains) {
    Shop shop;
    shop.list.is_compiled = true;
    for (std::uint64_t chain = 0; chain < 64; ++chain) {
        EXPECT_TRUE(shop.buy(tanh_of, {of(1000 + chain)}, {of(2000 + chain)}).empty());
    }
    EXPECT_EQ(shop.buy(tanh_of, {of(1064)}, {of(2064)}), kernel(shop, "fused tanh", 2 * 2 * n));
    EXPECT_EQ(shop.list.flush().size(), 64U);
}

}  // namespace
