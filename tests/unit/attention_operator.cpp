// The attention operator of a layer: the number of keys that a query meets in one kernel, the width of the values, and
// the FLOPs.
#include "libsim/training/operators.hpp"
#include "libsim/training/presets.hpp"
#include "tests/support/training_steps.hpp"

#include <algorithm>

namespace sim::training {
namespace {

using namespace test;

// 4,096 tokens; 8 heads of 128.
Transformer model_of_4096() {
    Transformer model = small_gpt();
    model.sequence = 4096;
    model.heads = model.kv_heads = 8;
    model.head_dim = 128;
    return model;
}

Operator attention_of(const Transformer& model, int cp = 1) {
    const Layout layout{.parallelism = {.cp = cp}, .batch = {.global = 1}};
    const std::vector<Operator> operators = layer_operators(model, layout, 0);
    return *std::find_if(operators.begin(), operators.end(),
                         [](const Operator& op) { return op.kind == OperatorKind::flash; });
}

TEST(AttentionOperator, MeetsHalfOfTheKeysOfACausalSequenceAndAllOfAnother) {
    Transformer model = model_of_4096();
    EXPECT_EQ(attention_of(model).keys, 2048);
    model.causal = false;
    EXPECT_EQ(attention_of(model).keys, 4096);
}

TEST(AttentionOperator, MeetsTheKeysOfOnePartAtATimeWhereRanksHaveParts) {
    Transformer model = model_of_4096();
    EXPECT_EQ(attention_of(model, 4).keys, 2048 / 4);
    model.causal = false;
    EXPECT_EQ(attention_of(model, 4).keys, 4096 / 4);
}

// A query meets itself and 127 more keys, except the first queries: 128 - 128^2 / (2 x 4096) = 126.
TEST(AttentionOperator, MeetsAWindowThatIsNarrowerThanAPartWhole) {
    Transformer model = model_of_4096();
    model.sliding = {.window = 128, .every = 1};
    EXPECT_EQ(attention_of(model).keys, 126);
    EXPECT_EQ(attention_of(model, 8).keys, 126);
    model.sliding.window = 1024;
    EXPECT_EQ(attention_of(model).keys, 896);
    EXPECT_EQ(attention_of(model, 8).keys, 256);
}

// Forward: scores and values. Backward: the scores again, and two products for the gradients of each.
TEST(AttentionOperator, HasTwoProductsForwardAndFiveBackward) {
    const double pairs = 4096.0 * 2048;
    const Operator alike = attention_of(model_of_4096());
    EXPECT_EQ(alike.head_dim, 128);
    EXPECT_EQ(alike.forward_flops, 2 * pairs * 8 * (128 + 128));
    EXPECT_EQ(alike.backward_flops, 2.5 * alike.forward_flops);
    const Operator latent = attention_of(preset("deepseek-v3"));
    EXPECT_EQ(latent.head_dim, 128);
    EXPECT_EQ(latent.forward_flops, 2 * pairs * 128 * (192 + 128));
    EXPECT_EQ(latent.backward_flops, 2 * pairs * 128 * (3 * 192 + 2 * 128));
}

}  // namespace
}  // namespace sim::training
