// Parameters and FLOPs of a transformer, counted by hand.
#include "libsim/training/parameters.hpp"

#include "libsim/training/presets.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim::training;

// h = 8, f = 12, 4 heads of width 2, 2 of them key-value heads, V = 10, s = 6.
Transformer small() {
    Transformer model;
    model.layers = 3;
    model.hidden = 8;
    model.ffn = 12;
    model.heads = 4;
    model.kv_heads = 2;
    model.head_dim = 2;
    model.vocabulary = 10;
    model.sequence = 6;
    model.biases = false;
    model.norm_biases = false;
    return model;
}

TEST(Parameters, OfADenseLayerAreItsMatrices) {
    const LayerParameters layer = layer_parameters(small(), 0);
    EXPECT_EQ(layer.attention, 8 * 8 + 2 * 8 * 4 + 8 * 8);
    EXPECT_EQ(layer.dense_ffn, 2 * 8 * 12);
    EXPECT_EQ(layer.norms, 2 * 8);
    EXPECT_EQ(layer.total(), 192 + 192 + 16);
    EXPECT_EQ(layer.dense(), layer.total());
}

TEST(Parameters, OfTheModelAreTheTablesTheLayersAndTheLastNorm) {
    Transformer model = small();
    model.learned_positions = true;
    EXPECT_EQ(parameters_of(model).embedding, 10 * 8);
    EXPECT_EQ(parameters_of(model).positions, 6 * 8);
    EXPECT_EQ(parameters_of(model).layers, 3 * 400);
    EXPECT_EQ(parameters_of(model).final_norm, 8);
    EXPECT_EQ(parameters_of(model).output, 0);
    model.tied_embeddings = false;
    EXPECT_EQ(parameters_of(model).total(), 80 + 48 + 1200 + 8 + 80);
}

TEST(Parameters, OfBiasesAreOnePerOutput) {
    Transformer model = small();
    const std::int64_t without = layer_parameters(model, 0).total();
    model.qkv_biases = true;
    EXPECT_EQ(layer_parameters(model, 0).total() - without, 8 + 4 + 4);
    model.biases = true;
    EXPECT_EQ(layer_parameters(model, 0).total() - without, 8 + 4 + 4 + 8 + 12 + 8);
    model.gated = true;
    EXPECT_EQ(layer_parameters(model, 0).dense_ffn, 3 * 8 * 12 + 12 + 12 + 8);
}

TEST(Parameters, OfNormsAreOneOrTwoRowsEach) {
    Transformer model = small();
    model.norm_biases = true;
    EXPECT_EQ(layer_parameters(model, 0).norms, 2 * 2 * 8);
    model.norms_per_layer = 1;
    model.qk_norms = true;
    EXPECT_EQ(layer_parameters(model, 0).norms, 2 * 8 + 2 * 2);
    model.embedding_norm = true;
    model.token_types = 2;
    EXPECT_EQ(parameters_of(model).positions, 2 * 8 + 2 * 8);
}

TEST(Parameters, OfExpertsAreAllOfThemButActiveAreThoseOfOneToken) {
    Transformer model = small();
    model.gated = true;
    model.experts = {.count = 4, .top_k = 1, .ffn = 5, .shared = 2, .dense_layers = 1, .every = 2, .router_bias = true};
    const LayerParameters layer = layer_parameters(model, 1);
    EXPECT_EQ(layer.routed_experts, 4 * 3 * 8 * 5);
    EXPECT_EQ(layer.shared_experts, 3 * 8 * 10);
    EXPECT_EQ(layer.router, 8 * 4 + 4);
    EXPECT_EQ(layer.dense_ffn, 0);
    EXPECT_EQ(layer_parameters(model, 0).routed_experts, 0);
    EXPECT_EQ(layer_parameters(model, 2).routed_experts, 0);  // only every other layer has experts
    EXPECT_EQ(parameters_of(model).active, parameters_of(model).total() - 3 * 3 * 8 * 5);
}

TEST(Parameters, OfLatentAttentionAreItsSmallVectorsUpAndDown) {
    Transformer model = small();
    model.kv_heads = 4;
    model.latent = {.query_rank = 6, .key_value_rank = 3, .plain_dim = 5, .rotary_dim = 2, .value_dim = 4};
    model.head_dim = 7;
    const std::int64_t queries = 8 * 6 + 6 * 4 * 7;
    const std::int64_t keys_and_values = 8 * (3 + 2) + 3 * 4 * (5 + 4);
    EXPECT_EQ(layer_parameters(model, 0).attention, queries + keys_and_values + 4 * 4 * 8);
    EXPECT_EQ(layer_parameters(model, 0).norms, 2 * 8 + 6 + 3);
    model.latent->query_rank = 0;
    EXPECT_EQ(layer_parameters(model, 0).attention, 8 * 4 * 7 + keys_and_values + 4 * 4 * 8);
}

TEST(Flops, AreTwoPerMatrixElementAndToken) {
    const Transformer model = small();
    EXPECT_EQ(forward_flops(model, false).layers, 3 * 2.0 * 6 * (192 + 192));
    EXPECT_EQ(forward_flops(model, false).attention, 3 * 2.0 * 2 * 6 * 6 * 8);
    EXPECT_EQ(forward_flops(model, false).logits, 2.0 * 6 * 8 * 10);
    EXPECT_EQ(forward_flops(model, true).attention, forward_flops(model, false).attention / 2);
}

TEST(Flops, OfAModelThatLooksBothWaysAreNeverHalved) {
    Transformer model = small();
    model.causal = false;
    EXPECT_EQ(forward_flops(model, true).attention, forward_flops(model, false).attention);
}

TEST(Flops, OfASlidingWindowAreThoseOfTheWindow) {
    Transformer model = small();
    model.sliding = {.window = 2, .every = 2};  // layers 0 and 2
    EXPECT_EQ(forward_flops(model, false).attention, 4.0 * 8 * (6 * 2 + 6 * 6 + 6 * 2));
    EXPECT_EQ(forward_flops(model, true).attention, 4.0 * 8 * ((12 - 2) + 18 + (12 - 2)));
}

TEST(Flops, OfExpertsAreThoseOfTheTokensOwnAndTheRouter) {
    Transformer model = small();
    model.experts = {.count = 4, .top_k = 2, .ffn = 5, .shared = 1};
    EXPECT_EQ(forward_flops(model, false).layers, 3 * 2.0 * 6 * (192 + 8 * 4 + 3 * 2 * 8 * 5));
}

TEST(Flops, OfLatentAttentionHaveWiderQueriesThanValues) {
    Transformer model = small();
    model.kv_heads = 4;
    model.head_dim = 7;
    model.latent = {.query_rank = 6, .key_value_rank = 3, .plain_dim = 5, .rotary_dim = 2, .value_dim = 4};
    EXPECT_EQ(forward_flops(model, false).attention, 3 * 2.0 * 6 * 6 * 4 * (7 + 4));
}

// Narayanan et al. 2021, section 3: 96 B s L h^2 (1 + s/6h + V/16Lh) with all activations recomputed; Korthikanti et
// al. 2022, appendix A: 72 … V/12Lh without.
TEST(Flops, OfTrainingAreMegatronsFormulas) {
    for (const char* name : {"megatron-1.7b", "megatron-22b", "gpt3-175b", "megatron-530b", "megatron-1t"}) {
        const Transformer model = preset(name);
        const ModelFlops forward = forward_flops(model, false);
        const double s = model.sequence;
        const double h = model.hidden;
        const double layers = model.layers;
        const double vocabulary = model.vocabulary;
        // 72 s L h^2 (1 + s/6h + V/12Lh), multiplied out so that every number is whole.
        EXPECT_EQ(3 * forward.total(), 72 * s * layers * h * h + 12 * s * s * layers * h + 6 * s * h * vocabulary);
        EXPECT_EQ(4 * (forward.layers + forward.attention) + 3 * forward.logits,
                  96 * s * layers * h * h + 16 * s * s * layers * h + 6 * s * h * vocabulary);
        EXPECT_DOUBLE_EQ(3 * forward.total(),
                         72 * s * layers * h * h * (1 + s / (6 * h) + vocabulary / (12 * layers * h)));
        EXPECT_DOUBLE_EQ(4 * forward.total() - forward.logits,
                         96 * s * layers * h * h * (1 + s / (6 * h) + vocabulary / (16 * layers * h)));
    }
}

// Kaplan et al. 2020: 6 N D, where N counts the matrices' parameters, and the output layer's once.
TEST(Flops, OfTrainingWithoutScoresAreSixPerMatrixParameterAndToken) {
    for (const char* name : {"llama2-7b", "llama3-70b", "llama3.1-405b"}) {
        const Transformer model = preset(name);
        const Parameters parameters = parameters_of(model);
        const std::int64_t norms = model.layers * layer_parameters(model, 0).norms;
        const auto matrices = static_cast<double>(parameters.layers - norms + parameters.output);
        const ModelFlops forward = forward_flops(model, false);
        EXPECT_EQ(3 * (forward.layers + forward.logits), 6 * matrices * model.sequence);
    }
}

}  // namespace
