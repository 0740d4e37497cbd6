// Documents packed into sequences: their pairs of query and key, and the attention of ranks.
#include "libsim/training/documents.hpp"

#include "libsim/error.hpp"
#include "libsim/training/check_layout.hpp"
#include "tests/support/training_steps.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace sim::training {

using namespace test;

namespace {

Layout packed_from(const std::string& lengths, int cp = 1) {
    Layout layout{.parallelism = {.dp = 1, .cp = cp}, .batch = {.global = 4}};
    if (!lengths.empty()) {
        layout.batch.documents = documents_of_text(lengths);
    }
    return layout;
}

Operator attention_of(const Layout& layout, const Transformer& model = small_gpt(1)) {
    const std::vector<Operator> all = layer_operators(model, layout, 0);
    return *std::find_if(all.begin(), all.end(), [](const Operator& op) { return op.kind == OperatorKind::flash; });
}

}  // namespace

// s^2 / 2, and s w - w^2 / 2 within a window.
TEST(Documents, OfAWholeSequenceHaveAllPairs) {
    EXPECT_EQ(pairs_within({}, 1024, 1024), 1024.0 * 1024 / 2);
    EXPECT_EQ(pairs_within({}, 1024, 256), 1024.0 * 256 - 256 * 256 / 2);
}

// The integral of (s - t)(1 - t / L) up to L: s L / 2 - L^2 / 6. The second term is what the cuts at the ends of a
// sequence take away.
TEST(Documents, OfOneLengthHaveTheSumOfTheirSquares) {
    const Documents documents = documents_of_text("256,256");
    EXPECT_DOUBLE_EQ(pairs_within(documents, 1024, 1024), 1024.0 * 256 / 2 - 256.0 * 256 / 6);
    // Up to a window of 128: the integral of (1024 - t)(256 - t) / 256.
    EXPECT_DOUBLE_EQ(pairs_within(documents, 1024, 128),
                     (1024.0 * 256 * 128 - 1280.0 * 128 * 128 / 2 + 128.0 * 128 * 128 / 3) / 256);
}

// Half of the documents are 100 long, half 300: a token's document has on average 10^5 / 400 pairs, not 200 / 2.
TEST(Documents, OfDifferentLengthsHaveMoreThanTheirMean) {
    const double pairs = pairs_within(documents_of_text("100,300"), 1e9, 1e9);
    EXPECT_NEAR(pairs / 1e9, (100.0 * 100 + 300.0 * 300) / 2 / 400, 1e-3);
}

// The integral of (s - t) exp(-t / m); without a memory, a document of a random token is m long on both sides.
TEST(Documents, DrawnFromAnExponentialDistributionHaveTheirMeanPerToken) {
    const Documents documents = documents_of_text("512");
    EXPECT_DOUBLE_EQ(pairs_within(documents, 1024, 1024), 512.0 * 1024 - 512.0 * 512 * (1 - std::exp(-2)));
    EXPECT_NEAR(pairs_within(documents, 1e9, 1e9) / 1e9, 512, 1e-3);
    EXPECT_NEAR(pairs_within(documents_of_text("1e12"), 1024, 1024), 1024.0 * 1024 / 2, 1);
}

// 512 tokens of 16 heads, 4 FLOPs for each of 64 values of a pair.
TEST(Documents, MakeAttentionComputeTheirBlocksAlone) {
    const Operator blocks = attention_of(packed_from("64,64"));
    const double pairs = 512.0 * 64 / 2 - 64.0 * 64 / 6;
    EXPECT_DOUBLE_EQ(blocks.forward_flops, 4 * pairs * 16 * 64);
    EXPECT_DOUBLE_EQ(blocks.keys, pairs / 512);
    EXPECT_DOUBLE_EQ(attention_of(packed_from("")).forward_flops, 4 * 512.0 * 512 / 2 * 16 * 64);
    Transformer both_ways = small_gpt(1);
    both_ways.causal = false;
    EXPECT_DOUBLE_EQ(attention_of(packed_from("64,64"), both_ways).forward_flops, 2 * blocks.forward_flops);
}

// Sums of n exponential documents' squares deviate by sqrt(2 m / s n) of their mean (renewal rewards with a variance of
// 2 m^3 per token); the larger of two normal variates is 0.589 deviations above the mean (Blom: quantile 1.625 / 2.25).
TEST(Documents, OfTheSlowestRankAreLongerThanTheAverage) {
    const double deviation = std::sqrt(2 * 512.0 / (1e6 * 4));
    EXPECT_NEAR(pairs_of_slowest(documents_of_text("512"), 1e6, 4, 2), 1 + 0.5895 * deviation, 1e-4 * deviation);
    EXPECT_GT(pairs_of_slowest(documents_of_text("512"), 1e6, 4, 64), 1 + 2 * deviation);
    EXPECT_NEAR(pairs_of_slowest(documents_of_text("256,256"), 1024, 4, 64), 1, 1e-12);
    EXPECT_EQ(pairs_of_slowest(documents_of_text("512"), 1024, 4, 1), 1);
    Layout layout = packed_from("64");
    layout.parallelism.dp = 4;
    const double slowest = pairs_of_slowest(layout.batch.documents, 512, 1, 4);
    const double uneven = attention_of(layout).forward_flops;
    layout.batch.balanced_documents = true;
    EXPECT_DOUBLE_EQ(uneven, slowest * attention_of(layout).forward_flops);
}

// One contiguous half: without documents the second one has 3/4 of all pairs. With short ones both have as many, except
// for the first document of each.
TEST(Documents, LeaveContiguousPartsOfASequenceNearlyEven) {
    const auto uneven = [](Layout layout) {
        const double even = attention_of(layout).forward_flops;
        layout.framework.balanced_context = false;
        return attention_of(layout).forward_flops / even;
    };
    EXPECT_DOUBLE_EQ(uneven(packed_from("", 2)), 1.5);
    EXPECT_NEAR(uneven(packed_from("1e12", 2)), 1.5, 1e-6);
    const double half = 256.0 * 32 / 2 - 32.0 * 32 / 6;
    const double whole = 512.0 * 32 / 2 - 32.0 * 32 / 6;
    EXPECT_NEAR(uneven(packed_from("32,32", 2)), 2 * (whole - half) / whole, 1e-12);
}

TEST(Documents, AreReadAndRefused) {
    EXPECT_EQ(text_of(documents_of_text("2048")), "2048");
    EXPECT_EQ(text_of(documents_of_text("100 300\n200")), "100,300,200");
    EXPECT_THROW(documents_of_text("0,5"), ProgramError);
    EXPECT_THROW(documents_of_text(""), ProgramError);
    Layout unfused = packed_from("64");
    unfused.framework.flash_attention = false;
    const auto problems = problems_of(small_gpt(1), plain_machine(), unfused);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].what, "document-lengths has an effect only with flash attention; flash-attention = on does");
}

}  // namespace sim::training
