// Layers with inputs of their own, several hidden states, and other layers' keys and values, as Gemma 3n has them.
#include "libsim/error.hpp"
#include "libsim/training/check_layout.hpp"
#include "libsim/training/memory.hpp"
#include "libsim/training/operators.hpp"
#include "libsim/training/parameters.hpp"
#include "tests/support/training_steps.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

namespace {

using namespace sim;
using namespace sim::training;
using namespace sim::test;

constexpr std::int64_t h = 1024;
constexpr double tokens = 512;

Transformer plain() {
    Transformer model = small_gpt(4);
    model.biases = false;
    model.norm_biases = false;
    model.learned_positions = false;
    model.norms_per_layer = 4;
    return model;
}

Transformer with_inputs() {
    Transformer model = plain();
    model.per_layer = PerLayerInputs{.vocabulary = 1000, .width = 32, .streams = 4, .rank = 16};
    return model;
}

Transformer sharing() {
    Transformer model = plain();
    model.pattern = "ffFF";
    return model;
}

const Operator* named(const std::vector<Operator>& operators, const std::string& name) {
    const auto at =
        std::find_if(operators.begin(), operators.end(), [&](const Operator& op) { return op.name == name; });
    return at == operators.end() ? nullptr : &*at;
}

// Streams: a norm, a router of 4, 16 x 4 and 4 x 4 coefficients, a scale. Beside attention: rank 16 down and up, a
// norm. Inputs: 32 down and up, a norm.
TEST(PerLayerInputs, HaveTheirParametersInEveryLayer) {
    check_transformer(with_inputs());
    const std::int64_t more = layer_parameters(with_inputs(), 1).total() - layer_parameters(plain(), 1).total();
    EXPECT_EQ(more, (h + 4 * h + 64 + 16 + h) + (2 * 16 * h + h) + (2 * 32 * h + h));
}

// 1,000 words with 32 numbers for each of 4 layers, their projection of hidden and its norm; three more streams begin
// with a product, and end with one.
TEST(PerLayerInputs, HaveATableBesideTheWords) {
    const Parameters with = parameters_of(with_inputs());
    EXPECT_EQ(with.embedding, 16'384 * h);
    EXPECT_EQ(with.positions, 1000 * 4 * 32 + 4 * 32 * h + 32 + 3 * h * h);
    EXPECT_EQ(with.final_norm, h + 3 * h * h);
    EXPECT_EQ(with.output, 0);
}

// A token is multiplied by the matrices of a layer above, by the projection, and by the products of the streams; 4 x 4
// coefficients mix its streams, and the router's product is computed twice.
TEST(PerLayerInputs, AreInTheFlops) {
    const ModelFlops with = forward_flops(with_inputs(), true);
    const ModelFlops without = forward_flops(plain(), true);
    const double of_layer = 4 * h + 64 + 16 + 2 * 16 * h + 2 * 32 * h;
    EXPECT_EQ(with.layers - without.layers, 2 * tokens * (4 * of_layer + 4 * 32 * h + 3 * h * h));
    EXPECT_EQ(with.attention - without.attention, 2 * tokens * 4 * (16 * h + 4 * h));
    EXPECT_EQ(with.logits - without.logits, 2 * tokens * 3 * h * h);
}

// A recomputed layer keeps its input: four hidden states. All layers' inputs are kept for the whole pass.
TEST(PerLayerInputs, AreKept) {
    const Layout layout{.batch = {.global = 1}, .framework = {.recompute = Recompute::full}};
    EXPECT_EQ(layer_activations(plain(), layout, 1), tokens * h * 2);
    EXPECT_EQ(layer_activations(with_inputs(), layout, 1), 4 * tokens * h * 2);
    Transformer narrow = with_inputs();
    narrow.per_layer->streams = 1;
    narrow.per_layer->rank = 0;
    Transformer wide = narrow;
    wide.per_layer->width += 32;
    const auto peak = [&](const Transformer& model) {
        return memory_of(model, plain_machine(), layout).stages[0].peak;
    };
    EXPECT_EQ(layer_activations(narrow, layout, 1), tokens * h * 2);
    // 32 numbers more for each of 4 layers, and the gradients of two matrices more; logits take most of the rest.
    EXPECT_EQ(peak(wide).working - peak(narrow).working, tokens * 4 * 32 * 2 + 2 * 2 * 32 * h);
}

// The last layers compute queries alone, have the same checkpoint, and attend as the others do.
TEST(SharedKeys, AreNotComputedAgain) {
    const Transformer model = sharing();
    check_transformer(model);
    const auto own = layer_operators(model, {}, 1);
    const auto shared = layer_operators(model, {}, 2);
    EXPECT_EQ(named(own, "query, key, value")->gemm.n, 3 * h);
    EXPECT_EQ(named(shared, "query, key, value"), nullptr);
    EXPECT_EQ(named(shared, "query")->gemm.n, h);
    EXPECT_EQ(layer_parameters(model, 2).total(), layer_parameters(model, 1).total());
    EXPECT_EQ(named(shared, "flash attention")->forward_flops, named(own, "flash attention")->forward_flops);
    EXPECT_EQ(forward_flops(plain(), true).layers - forward_flops(model, true).layers, 2 * (2 * tokens * 2 * h * h));
    EXPECT_EQ(layer_activations(model, {}, 1) - layer_activations(model, {}, 2), tokens * 2 * h * 2);
}

TEST(SharedKeys, NeedALayerThatHasThem) {
    Transformer model = sharing();
    model.pattern = "Ffff";
    EXPECT_THROW(check_transformer(model), ProgramError);
}

TEST(SharedKeys, AndPerLayerInputsStayOnOneStage) {
    const Layout two{.parallelism = {.pp = 2}, .batch = {.global = 2}};
    for (const Transformer& model : {sharing(), with_inputs()}) {
        const auto problems = problems_of(model, plain_machine(), two);
        ASSERT_EQ(problems.size(), 1U);
        EXPECT_THAT(problems[0].what, testing::HasSubstr("pp = 2: ndsim does not model stages whose layers share"));
    }
}

}  // namespace
