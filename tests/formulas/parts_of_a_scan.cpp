// Context parallelism of a scan and of sparse attention, and stages of an encoder and a decoder.
#include "libsim/training/memory.hpp"
#include "libsim/training/memory/layer_bytes.hpp"
#include "libsim/training/memory/outside_layers.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/step/inner_collectives.hpp"
#include "libsim/training/step/stage_step.hpp"
#include "tests/support/training_steps.hpp"

#include <algorithm>
#include <string>

namespace {

using namespace sim;
using namespace sim::training;
using namespace sim::test;

// 16 heads of 64 values and one group of 128 keys.
Transformer mamba() {
    Transformer model = small_gpt(4);
    model.biases = false;
    model.learned_positions = false;
    model.pattern = "M";
    model.linear = LinearAttention{
        .kind = LinearKind::mamba2, .heads = 16, .key_heads = 1, .key_dim = 128, .value_dim = 64, .convolution = 4};
    return model;
}

Transformer sparse() {
    Transformer model = small_gpt(4);
    model.biases = false;
    model.learned_positions = false;
    model.head_dim = 64 + 32;
    model.latent =
        LatentAttention{.query_rank = 256, .key_value_rank = 128, .plain_dim = 64, .rotary_dim = 32, .value_dim = 64};
    model.sparse = SparseAttention{.heads = 4, .dim = 32, .top_k = 64};
    return model;
}

// 2 layers of an encoder of 256 tokens, and 2 of a decoder of 512.
Transformer translator() {
    Transformer model = small_gpt(4);
    model.learned_positions = false;
    model.encoder = Encoder{.layers = 2, .sequence = 256};
    return model;
}

Layout over(int cp, ContextExchange exchange = ContextExchange::p2p) {
    Layout layout{.parallelism = {.cp = cp}, .batch = {.global = 1}};
    layout.framework.context_exchange = exchange;
    return layout;
}

const Operator& named(const std::vector<Operator>& operators, const std::string& name) {
    return *std::find_if(operators.begin(), operators.end(), [&](const Operator& op) { return op.name == name; });
}

std::vector<StepCollective> inside(const Transformer& model, const Layout& layout, StepWork work) {
    const StepPlan plan = plan_step(model, plain_machine(), layout);
    const StageStep step = stage_step(plan, 0);
    const InnerCollectives inner(plan);
    const PassKind kind = work == StepWork::forward ? PassKind::forward : PassKind::backward;
    for (const Piece& piece : step.chunks[0].of(kind)) {
        if (piece.kind == PieceKind::compute && piece.work == work) {
            return inner.of(piece);
        }
    }
    return {};
}

// 128 tokens of a rank: 1,024 gates of the result, 1,024 values, 16 steps, and 2 x 128 queries and keys, which 4 ranks
// need each.
TEST(ScanOverContext, ExchangesHeadsForTheWholeSequence) {
    const auto operators = layer_operators(mamba(), over(4), 0);
    const Operator& in = named(operators, "all-to-all of what the scan reads");
    EXPECT_EQ(in.forward_bytes, 2 * 128 * (1024 + 1024 + 16 + 4 * 2 * 128));
    EXPECT_EQ(in.backward_bytes, in.forward_bytes);
    EXPECT_EQ(named(operators, "all-to-all of results").forward_bytes, 2 * 128 * 1024);
    // The scan is a quarter of the heads over the whole sequence.
    const auto whole = layer_operators(mamba(), over(1), 0);
    EXPECT_EQ(named(operators, "gated norm").forward_bytes, named(whole, "gated norm").forward_bytes / 4);
    EXPECT_EQ(named(operators, "query, key, value, gate").gemm.m, 128);
    // A quarter of the heads goes through as many chunks.
    EXPECT_EQ(named(operators, "states of chunks").forward_turns, named(whole, "states of chunks").forward_turns);
    EXPECT_EQ(whole.size() + 2, operators.size());
    EXPECT_EQ(layer_parameters(operators).total(), layer_parameters(whole).total());
}

// The groups of 8 ranks: with more groups than ranks nothing is sent twice.
TEST(ScanOverContext, SendsAGroupToTheRanksThatReadIt) {
    Transformer model = mamba();
    model.linear->key_heads = 8;
    const auto bytes = [&](int cp) {
        return named(layer_operators(model, over(cp), 0), "all-to-all of what the scan reads").forward_bytes;
    };
    EXPECT_EQ(bytes(2), 2 * 256 * (1024 + 1024 + 16 + 8 * 2 * 128));
    EXPECT_EQ(bytes(8), 2 * 64 * (1024 + 1024 + 16 + 8 * 2 * 128));
    EXPECT_EQ(bytes(16), 2 * 32 * (1024 + 1024 + 16 + 16 * 2 * 128));
}

// Whatever attention exchanges, a scan's all-to-alls are over all ranks: 4 layers with two each.
TEST(ScanOverContext, RunsItsCollectivesOverAllOfItsRanks) {
    const double in = 2 * 128 * (1024 + 1024 + 16 + 4 * 2 * 128);
    const double out = 2 * 128 * 1024;
    std::vector<StepCollective> wanted;
    for (int layer = 0; layer < 4; ++layer) {
        wanted.push_back({RankGroup::context, CollectiveKind::all_to_all, in});
        wanted.push_back({RankGroup::context, CollectiveKind::all_to_all, out});
    }
    EXPECT_EQ(inside(mamba(), over(4), StepWork::forward), wanted);
    std::reverse(wanted.begin(), wanted.end());
    EXPECT_EQ(inside(mamba(), over(4), StepWork::backward), wanted);
    const StepPlan plan = plan_step(mamba(), plain_machine(), over(4));
    const BlockCosts costs(plan.model, plan.machine, plan.layout, block_groups(plan.layout, plan.machine));
    EXPECT_GT(costs.context_collective_seconds(CollectiveKind::all_to_all, in), 0);
    EXPECT_EQ(inside(mamba(), over(4, ContextExchange::a2a), StepWork::forward).front().group, RankGroup::heads);
}

// Each rank gathers 128 + 32 latent values of each of 512 tokens, and 32 of an index key; their gradients are reduced,
// and the latents gathered once more for them.
TEST(SparseAttentionOverContext, GathersLatentsAndIndexKeys) {
    const Layout layout = over(4, ContextExchange::all_gather);
    const double latents = 2 * 512 * (128 + 32);
    const double index = 2 * 512 * 32;
    const auto operators = layer_operators(sparse(), layout, 0);
    EXPECT_EQ(named(operators, "keys and values").forward_bytes, latents);
    EXPECT_EQ(named(operators, "keys and values again").backward_bytes, latents);
    EXPECT_EQ(named(operators, "index keys").forward_bytes, index);
    EXPECT_EQ(named(operators, "index keys").bytes.values, index);
    // 128 tokens with half of 512 keys before them, of 4 heads of 32.
    EXPECT_EQ(named(operators, "index scores").forward_flops, 2.0 * 128 * 256 * 4 * 32);
    const auto first = inside(sparse(), layout, StepWork::forward);
    ASSERT_GE(first.size(), 2U);
    EXPECT_EQ(first[0], (StepCollective{RankGroup::context, CollectiveKind::all_gather, index}));
    EXPECT_EQ(first[1], (StepCollective{RankGroup::context, CollectiveKind::all_gather, latents}));
}

// A message has the states of 256 tokens of the encoder and of 512 of the decoder.
TEST(StagesOfAnEncoderAndADecoder, PassBothOn) {
    const Layout layout{.parallelism = {.pp = 4}, .batch = {.global = 8}};
    const StepPlan plan = plan_step(translator(), plain_machine(), layout);
    EXPECT_EQ(plan.boundary_bytes, 2 * (256 + 512) * 1024);
    EXPECT_EQ(plan_step(small_gpt(4), plain_machine(), layout).boundary_bytes, 2 * 512 * 1024);
    const auto forward = [&](std::size_t stage) { return plan.stages[stage].chunks[0].whole.forward.total(); };
    EXPECT_LT(forward(1), forward(2));  // half as many tokens, and no attention to another sequence
    EXPECT_EQ(plan.stages[1].parameters(), layer_parameters(translator(), 1).dense_of_rank(1));
    EXPECT_EQ(plan.stages[2].parameters(), layer_parameters(translator(), 2).dense_of_rank(1));
    EXPECT_GT(run_step(plan, true).end.time_since_epoch(), Duration{0});
}

// The last stage of two has one micro-batch in flight: the encoder's result of it beside what one stage would keep.
TEST(StagesOfAnEncoderAndADecoder, KeepWhatTheyReceive) {
    const Layout layout{.parallelism = {.pp = 2}, .batch = {.global = 4}};
    EXPECT_EQ(encoded_bytes(translator(), layout), 2 * 256 * 1024);
    const auto kept = [&](int stage) {
        const MemoryUse peak =
            memory_of(translator(), plain_machine(), layout).stages[static_cast<std::size_t>(stage)].peak;
        return peak.activations;
    };
    const auto layer = [&](int number) { return layer_activations(translator(), layout, number); };
    EXPECT_EQ(kept(1), 2 * layer(2));
    EXPECT_EQ(kept(0), 2 * 2 * layer(0));
}

}  // namespace
