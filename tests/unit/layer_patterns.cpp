// Layers of different kinds: parameters, FLOPs and operators of linear and sparse attention, of encoders and of
// patches, counted by hand.
#include "libsim/error.hpp"
#include "libsim/training/layer_kinds.hpp"
#include "libsim/training/operators.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/presets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace sim;
using namespace sim::training;
using testing::HasSubstr;

// h = 8, f = 12, 4 heads of width 2, V = 10, s = 6; a dense layer has 4 h^2 + 2 h f + 2 h = 464 parameters.
Transformer small() {
    return {.name = "small",
            .layers = 4,
            .hidden = 8,
            .ffn = 12,
            .heads = 4,
            .kv_heads = 4,
            .head_dim = 2,
            .vocabulary = 10,
            .sequence = 6,
            .biases = false,
            .norm_biases = false};
}

// Two heads of keys of width 3, four of values of width 5, a convolution of 4 tokens.
Transformer with(LinearKind kind) {
    Transformer model = small();
    model.linear = LinearAttention{
        .kind = kind, .heads = 4, .key_heads = 2, .key_dim = 3, .value_dim = 5, .convolution = 4, .chunk = 2};
    model.pattern = "lllf";
    return model;
}

std::vector<Operator> operators_named(const Transformer& model, int layer, const char* name) {
    std::vector<Operator> named = layer_operators(model, {}, layer);
    std::erase_if(named, [&](const Operator& op) { return std::string_view(op.name) != name; });
    return named;
}

TEST(LayerPatterns, RepeatFromTheFirstLayer) {
    const Transformer model = with(LinearKind::gated_delta);
    for (const int layer : {0, 1, 2}) {
        EXPECT_EQ(model.kind_of(layer).mixer, Mixer::linear) << layer;
    }
    EXPECT_EQ(model.kind_of(3).mixer, Mixer::attention);
    EXPECT_EQ(model.kind_of(4).mixer, Mixer::attention);  // of multi-token prediction
    EXPECT_EQ(layer_parameters(model, 3).total(), 464);
}

TEST(LayerPatterns, HaveLayersOfOnePartWithOneNorm) {
    Transformer model = with(LinearKind::mamba2);
    model.pattern = "M-*E";
    model.experts = {.count = 4, .top_k = 2, .ffn = 6};
    EXPECT_EQ(layer_parameters(model, 1).total(), 2 * 8 * 12 + 8);
    EXPECT_EQ(layer_parameters(model, 2).total(), 4 * 8 * 8 + 8);
    EXPECT_EQ(layer_parameters(model, 3).total(), 8 * 4 + 4 * 2 * 8 * 6 + 8);
    EXPECT_EQ(layer_parameters(model, 0).dense_ffn, 0);
    EXPECT_EQ(model.kind_of(0), (LayerKind{Mixer::linear, FeedForwardPart::none}));
    EXPECT_TRUE(model.has_experts(3));
    EXPECT_FALSE(model.has_experts(1));
}

TEST(LayerPatterns, WorkOutOneLayerOfEachKind) {
    Transformer model = with(LinearKind::gated_delta);
    model.layers = 1000;
    OfLayerKinds<int> kinds;
    int worked_out = 0;
    for (int layer = 0; layer < model.layers; ++layer) {
        kinds.of(model, layer, [&](int first) { return ++worked_out, first; });
    }
    EXPECT_EQ(worked_out, 2);
}

// Chunks of 4 in 10 tokens: 16 + 16 + 4 pairs, half of them causal; a window would have 10 x 4 - 8.
TEST(LayerPatterns, OfChunksAttendWithinThem) {
    Transformer model = small();
    model.sequence = 10;
    model.sliding = {.window = 4, .all_every = 4, .chunks = true, .rotary_only = true};
    model.rotary = true;
    EXPECT_EQ(attended_pairs(model, 0, false), 36);
    EXPECT_EQ(attended_pairs(model, 0, true), 18);
    EXPECT_EQ(attended_pairs(model, 3, true), 50);
    EXPECT_EQ(operators_named(model, 0, "rotary positions").size(), 1U);
    EXPECT_EQ(operators_named(model, 3, "rotary positions").size(), 0U);
}

TEST(LayerPatterns, ListWindowsLayerByLayer) {
    Transformer model = small();
    model.sliding.window = 2;
    model.pattern = "wwff";
    EXPECT_EQ(model.window_of(1), 2);
    EXPECT_EQ(model.window_of(2), 6);
}

TEST(LayerPatterns, ThatCannotBeAreRefused) {
    const auto complaint = [](auto spoil) -> std::string {
        Transformer model = with(LinearKind::gated_delta);
        spoil(model);
        try {
            check_transformer(model);
        } catch (const ProgramError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(complaint([](Transformer&) {}), "");
    EXPECT_THAT(complaint([](Transformer& m) { m.pattern = "lxf"; }),
                HasSubstr("pattern[1] = \"x\" must be f, w, F, W or l, or *, M, - or E"));
    EXPECT_THAT(complaint([](Transformer& m) { m.pattern = "f"; }), HasSubstr("pattern has neither l nor M"));
    EXPECT_THAT(complaint([](Transformer& m) { m.linear.reset(); }), HasSubstr("linear is missing"));
    EXPECT_THAT(complaint([](Transformer& m) { m.pattern = "lw"; }), HasSubstr("sliding.window = 0"));
    EXPECT_THAT(complaint([](Transformer& m) { m.pattern = "lE"; }), HasSubstr("experts.count = 0"));
    EXPECT_THAT(complaint([](Transformer& m) { m.linear->key_heads = 3; }),
                HasSubstr("linear.key_heads = 3 does not divide linear.heads = 4; 2 would"));
    EXPECT_THAT(complaint([](Transformer& m) { m.causal = false; }), HasSubstr("causal = false with linear attention"));
    EXPECT_THAT(complaint([](Transformer& m) { m.sparse = SparseAttention{.heads = 1, .dim = 2, .top_k = 3}; }),
                HasSubstr("sparse attention is known only with latent attention"));
    EXPECT_THAT(complaint([](Transformer& m) { m.encoder = Encoder{.layers = 2, .sequence = 6}; }),
                HasSubstr("encoder is known with full attention"));
}

// Queries and keys are 2 x 2 x 3 = 12 wide, values and gate 4 x 5 = 20.
TEST(LinearAttention, HasTheParametersOfItsKind) {
    const std::int64_t dense = 2 * 8 * 12 + 2 * 8;
    const auto mixer = [&](LinearKind kind) { return layer_parameters(with(kind), 0).total() - dense; };
    const std::int64_t outer = 8 * (12 + 20) + 20 * 8;  // into queries, keys and values, and out
    EXPECT_EQ(mixer(LinearKind::gated_delta), outer + 8 * (20 + 2 * 4) + 4 * 32 + 2 * 4 + 5);
    EXPECT_EQ(mixer(LinearKind::kimi_delta), outer + 8 * 4 + 8 * (3 + 5) + 3 * 12 + 5 * 20 + 4 * 32 + 12 + 4 + 5);
    EXPECT_EQ(mixer(LinearKind::lightning), outer + 8 * 20 + 4 * 32 + 20);
    EXPECT_EQ(mixer(LinearKind::mamba2), outer + 8 * (20 + 4) + (4 + 1) * 32 + 3 * 4 + 20);
}

// A token has in each layer, beside its matrices, the convolution's 4 x 32 multiplications and those of the scan.
TEST(LinearAttention, HasThePublishedFlops) {
    const auto scan = [](LinearKind kind) {
        Transformer model = with(kind);
        model.pattern = "l";
        return forward_flops(model, true).attention / 4 / 6 / 2 - 4 * 32;
    };
    constexpr double state = 4 * 3 * 5;
    EXPECT_EQ(scan(LinearKind::gated_delta), 4 * state);
    EXPECT_EQ(scan(LinearKind::kimi_delta), 3 * state + 4 * (1.5 * 2 * 5 + 2 * 2 / 2));
    EXPECT_EQ(scan(LinearKind::lightning), 6 * state);
    EXPECT_EQ(scan(LinearKind::mamba2), 3.5 * state);
}

// Kimi team 2025, equation 13: 6 T d^2 + 3 T C d + T C^2 FLOPs of a head, with C = 64.
TEST(LinearAttention, OfKimiHasTheFlopsOfItsPaper) {
    const LinearAttention linear = *preset("kimi-linear-48b-a3b").linear;
    const double of_token = 2 * row_of(linear.kind).multiplications(linear) / linear.heads;
    EXPECT_EQ(of_token, 6 * 128 * 128 + 3 * 64 * 128 + 64 * 64);
}

// Per token, 6 of them in 3 chunks of 2: queries or keys are 2 x 3 = 6 numbers, 12 if repeated for each head of values,
// which are 4 x 5 = 20, a row of a chunk's matrix is 4 x 2 = 8, and of the states 4 x 15 a token has half.
TEST(LinearAttention, HasTheTrafficAndTheProductsOfItsKernels) {
    const Transformer model = with(LinearKind::gated_delta);
    const auto only = [&](const char* name) { return operators_named(model, 0, name).at(0); };
    const Operator products = only("products within chunks");
    EXPECT_EQ(products.forward_flops, 2 * 6 * (4 * 2 * 3 + 4 * 2 * 2));  // keys with keys, and the inverse
    EXPECT_EQ(products.backward_flops, 2 * 6 * (3 * 4 * 15 + 7 * 4 * 2 * 3 + 3 * 4 * 2 * 5 + 2 * 4 * 2 * 2));
    EXPECT_EQ(products.forward_bytes, 0);
    const Operator states = only("states of chunks");
    EXPECT_EQ(states.forward_bytes, 2 * 6 * (6 + 12 + 2 * 20 + 30));  // keys, w, u and what is left of it, states
    EXPECT_EQ(states.backward_bytes, 2 * 6 * (3 * 6 + 2 * 12 + 5 * 20 + 2 * 30));
    EXPECT_EQ(states.forward_turns, 2 * 3);
    EXPECT_EQ(states.backward_turns, 5 * 3);
    const Operator rest = only("scan");
    EXPECT_EQ(rest.forward_bytes, 2 * 6 * (7 * 6 + 12 + 4 * 20 + 2 * 8 + 30));
    EXPECT_EQ(rest.backward_bytes, 2 * 6 * (15 * 6 + 4 * 12 + 4 * 20 + 8));
    EXPECT_EQ(rest.forward_flops, 2 * 6 * (3 * 4 * 15 + 2 * 4 * 2 * 3 + 2 * 4 * 2 * 5));
    EXPECT_EQ(products.forward_kernels + states.forward_kernels + rest.forward_kernels, 9);
    EXPECT_EQ(products.backward_kernels + states.backward_kernels + rest.backward_kernels, 21);
}

// Scores of Mamba 2 are those of 2 groups, and half of a chunk is masked.
TEST(LinearAttention, OfMamba2HasScoresForGroupsOfHeads) {
    const Operator products = operators_named(with(LinearKind::mamba2), 0, "products within chunks").at(0);
    EXPECT_EQ(products.forward_flops, 2 * 6 * (4 * 15 + 2 * 2 * 3 + 4 * 5));
}

// Its kernels' chunks have 64 tokens, more than the 6 that there are.
TEST(LinearAttention, OfMiniMaxWaitsForNoProducts) {
    const Transformer model = with(LinearKind::lightning);
    EXPECT_TRUE(operators_named(model, 0, "products within chunks").empty());
    const Operator states = operators_named(model, 0, "states of chunks").at(0);
    EXPECT_EQ(states.forward_turns, 1);
    EXPECT_EQ(states.forward_bytes, 2 * 6 * (6 + 20 + 4 * 15 / 64.0));
}

TEST(LinearAttention, IsSpreadOverTensorParallelRanks) {
    const Transformer model = preset("qwen3-next-80b-a3b");
    const auto scan_on = [&](int tp) {
        Operator sum;
        for (const Operator& op : layer_operators(model, {.parallelism = {.tp = tp}}, 0)) {
            if (op.kind == OperatorKind::scan) {
                sum.forward_flops += op.forward_flops;
                sum.forward_bytes += op.forward_bytes;
                sum.bytes.values += op.bytes.values;
                sum.forward_turns += op.forward_turns;
            }
        }
        return sum;
    };
    EXPECT_DOUBLE_EQ(scan_on(4).forward_flops, scan_on(1).forward_flops / 4);
    EXPECT_DOUBLE_EQ(scan_on(4).forward_bytes, scan_on(1).forward_bytes / 4);
    EXPECT_DOUBLE_EQ(scan_on(4).bytes.values, scan_on(1).bytes.values / 4);
    EXPECT_EQ(scan_on(4).forward_turns, scan_on(1).forward_turns);  // of each head
}

// The index of 64 heads of width 128: its queries come from 1536 numbers, its one key and the heads' weights from the
// hidden state, and the key has a norm with a bias.
TEST(SparseAttention, HasTheParametersOfItsIndex) {
    const Transformer dense = preset("deepseek-v3");
    const Transformer sparse = preset("deepseek-v3.2");
    EXPECT_EQ(layer_parameters(sparse, 0).total() - layer_parameters(dense, 0).total(),
              1536 * 64 * 128 + 7168 * (128 + 64) + 2 * 128);
}

TEST(SparseAttention, ScoresAllKeysAndAttendsToTheChosenOnes) {
    Transformer model = preset("deepseek-v3.2");
    const double s = model.sequence;
    const double chosen = s * 2048 - 2048.0 * 2048 / 2;
    EXPECT_EQ(forward_flops(model, true).attention,
              61 * 2.0 * (chosen * 128 * (512 + 64 + 512) + s * s / 2 * 64 * 128));
    model.sequence = 2048;  // all keys are chosen: attention as in V3
    Transformer dense = preset("deepseek-v3");
    dense.sequence = 2048;
    const double index = 61 * 2.0 * 2048 * 2048 / 2 * 64 * 128;
    EXPECT_EQ(forward_flops(model, true).attention - index, forward_flops(dense, true).attention);
}

// The decoder's layers have another four matrices and a norm; both stacks have a table of positions and a last norm.
TEST(Encoders, HaveADecoderThatAlsoAttendsToThem) {
    Transformer model = small();
    model.encoder = Encoder{.layers = 2, .sequence = 9};
    model.relative_positions = 3;
    EXPECT_EQ(layer_parameters(model, 1).total(), 464);
    EXPECT_EQ(layer_parameters(model, 2).total(), 464 + 4 * 8 * 8 + 8);
    EXPECT_EQ(parameters_of(model).total(), 2 * 464 + 2 * 728 + 80 + 2 * 3 * 4 + 2 * 8);
}

// Two layers with 9 tokens that attend both ways; two with 6 that attend to those before and to the 9.
TEST(Encoders, HaveFlopsOfTwoSequences) {
    Transformer model = small();
    model.encoder = Encoder{.layers = 2, .sequence = 9};
    const double matrices = 4 * 8 * 8 + 2 * 8 * 12;
    EXPECT_EQ(forward_flops(model, true).layers, 2 * 2 * (9 * matrices + 6 * (matrices + 2 * 8 * 8) + 9 * 2 * 8 * 8));
    EXPECT_EQ(forward_flops(model, true).attention, 2 * 2 * 16 * (9 * 9 + 6 * 6 / 2 + 6 * 9));
}

// DiT-XL/2 on 256 x 256: 118.6 billion multiplications (Peebles & Xie 2023, table 1); ViT-L/16: 61.6 (torchvision).
TEST(Patches, HaveThePublishedFlops) {
    EXPECT_NEAR(forward_flops(preset("dit-xl-2"), false).total() / 2e9, 118.64, 0.15);
    EXPECT_NEAR(forward_flops(preset("dit-b-2"), false).total() / 2e9, 23.01, 0.05);
    EXPECT_NEAR(forward_flops(preset("vit-large-patch16-224"), false).total() / 2e9, 61.55, 0.1);
    EXPECT_NEAR(forward_flops(preset("vit-base-patch16-224"), false).total() / 2e9, 17.56, 0.05);
}

}  // namespace
