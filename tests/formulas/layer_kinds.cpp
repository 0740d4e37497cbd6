// Layers unlike GPT's: latent attention, norms after the parts, parallel parts, multi-token prediction.
#include "libsim/training/memory.hpp"
#include "libsim/training/memory/layer_bytes.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/presets.hpp"
#include "libsim/training/split.hpp"
#include "libsim/training/step/inner_collectives.hpp"
#include "tests/support/training_steps.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace sim::training {

using namespace test;

namespace {

std::vector<Operator> named(const std::vector<Operator>& operators, const std::string& name) {
    std::vector<Operator> found;
    std::copy_if(operators.begin(), operators.end(), std::back_inserter(found),
                 [&](const Operator& op) { return op.name == name; });
    return found;
}

// Rows, columns, and the summed dimension.
std::array<double, 3> product(const std::vector<Operator>& operators, const std::string& name) {
    const Gemm gemm = named(operators, name).at(0).gemm;
    return {gemm.m, gemm.n, gemm.k};
}

// Bytes of the tensor-parallel collectives of a forward pass, in order.
std::vector<double> tensor_bytes(const std::vector<Operator>& operators) {
    std::vector<double> bytes;
    for (const Operator& op : operators) {
        if (op.kind == OperatorKind::tensor && op.forward_collective) {
            bytes.push_back(op.forward_bytes);
        }
    }
    return bytes;
}

Transformer latent_gpt() {
    Transformer model = small_gpt(4);
    model.biases = false;
    model.head_dim = 64 + 32;
    model.latent =
        LatentAttention{.query_rank = 256, .key_value_rank = 128, .plain_dim = 64, .rotary_dim = 32, .value_dim = 64};
    return model;
}

Transformer predicting(int layers, int further) {
    Transformer model = small_gpt(layers);
    model.mtp_layers = further;
    return model;
}

const Layout four_of_tensor{.parallelism = {.tp = 4, .sequence_parallel = true}, .batch = {.global = 1}};
constexpr double token_bytes = 512 * 2;  // one 2-byte value per token

}  // namespace

// Each rank down-projects its 128 of 512 tokens; 256 and 128 + 32 values per token are gathered instead of 1024.
TEST(LatentAttention, GathersSmallVectorsAndNotTheHiddenState) {
    const auto operators = layer_operators(latent_gpt(), four_of_tensor, 0);
    EXPECT_EQ(product(operators, "query down"), (std::array<double, 3>{128, 256, 1024}));
    EXPECT_EQ(product(operators, "key-value down"), (std::array<double, 3>{128, 128 + 32, 1024}));
    EXPECT_EQ(product(operators, "query up"), (std::array<double, 3>{512, 16 / 4 * 96, 256}));
    EXPECT_EQ(product(operators, "key-value up"), (std::array<double, 3>{512, 16 / 4 * 128, 128}));
    EXPECT_EQ(tensor_bytes(operators), (std::vector{256 * token_bytes, 160 * token_bytes, 1024 * token_bytes,
                                                    1024 * token_bytes, 1024 * token_bytes}));
}

TEST(LatentAttention, WithoutSmallQueriesGathersTheHiddenStateForThem) {
    Transformer model = latent_gpt();
    model.latent->query_rank = 0;
    EXPECT_EQ(tensor_bytes(layer_operators(model, four_of_tensor, 0)),
              (std::vector{1024 * token_bytes, 160 * token_bytes, 1024 * token_bytes, 1024 * token_bytes,
                           1024 * token_bytes}));
}

// The down projections, (256 + 128 + 32) x 1024, are replicated on each rank; the other weights are split in four.
TEST(LatentAttention, HasItsWayDownOnEveryTensorParallelRank) {
    const LayerParameters layer = layer_parameters(latent_gpt(), 0);
    EXPECT_EQ(layer.replicated, 416 * 1024);
    EXPECT_EQ(layer.dense_of_rank(4), (layer.dense() - 416 * 1024) / 4 + 416 * 1024);
    EXPECT_EQ(layer.dense_of_rank(1), layer.dense());
    EXPECT_EQ(layer_parameters(small_gpt(), 0).replicated, 0);
    Transformer untied = latent_gpt();
    untied.norm_biases = false;
    const std::int64_t published = published_use(untied, four_of_tensor, 0).parameters;
    EXPECT_EQ(published, 4 * 2 * ((layer.attention - layer.replicated + layer.dense_ffn) / 4 + layer.replicated));
}

// Each norm reads and writes the rank's part of the hidden state; norms after the parts keep their inputs.
TEST(NormsBehind, CostTimeAndMemory) {
    const Transformer two = small_gpt();
    Transformer four = two;
    four.norms_per_layer = 4;
    const auto norms = [](const Transformer& model) {
        return named(layer_operators(model, four_of_tensor, 0), "norm");
    };
    EXPECT_EQ(norms(two).size(), 2U);
    ASSERT_EQ(norms(four).size(), 4U);
    EXPECT_EQ(norms(four)[1].forward_bytes, 2 * 128 * 1024 * 2);
    EXPECT_EQ(layer_activations(four, four_of_tensor, 0) - layer_activations(two, four_of_tensor, 0),
              2 * 128 * 1024 * 2);
}

TEST(SideBySide, IsGatheredAndReducedOnceWithOneNorm) {
    Transformer model = small_gpt();
    model.norms_per_layer = 1;
    const auto one = layer_operators(model, four_of_tensor, 0);
    EXPECT_EQ(tensor_bytes(one), (std::vector{1024 * token_bytes, 1024 * token_bytes}));
    EXPECT_EQ(named(one, "norm").size(), 1U);
    EXPECT_EQ(named(one, "residual").size(), 1U);
    model.norms_per_layer = 2;
    model.parallel_block = true;
    const auto two = layer_operators(model, four_of_tensor, 0);
    EXPECT_EQ(tensor_bytes(two), (std::vector{1024 * token_bytes, 1024 * token_bytes, 1024 * token_bytes}));
    EXPECT_EQ(named(two, "norm").size(), 2U);
    const auto flops = [](const std::vector<Operator>& operators) {
        double sum = 0;
        for (const Operator& op : operators) {
            sum += op.forward_flops;
        }
        return sum;
    };
    EXPECT_EQ(flops(one), flops(layer_operators(small_gpt(), four_of_tensor, 0)));
}

// One input for both parts instead of two; with a single norm, also one norm output.
TEST(SideBySide, KeepsOneInput) {
    Transformer model = small_gpt();
    model.parallel_block = true;
    const std::int64_t usual = layer_activations(small_gpt(), {}, 0);
    EXPECT_EQ(usual - layer_activations(model, {}, 0), 512 * 1024 * 2);
    model.norms_per_layer = 1;
    EXPECT_EQ(usual - layer_activations(model, {}, 0), 2 * 512 * 1024 * 2);
}

// A layer, a projection from 2 hidden to hidden, and norms of the state, the embedding and the result.
TEST(MultiTokenPrediction, HasTheParametersOfALayerAndOfItsJoin) {
    Transformer model = preset("deepseek-v3");
    EXPECT_EQ(model.mtp_layers, 0);
    const std::int64_t without = parameters_of(model).total();
    const std::int64_t layer = layer_parameters(model, 60).total();
    model.mtp_layers = 1;
    EXPECT_EQ(parameters_of(model).total() - without, layer + 2LL * 7168 * 7168 + 3 * 7168);
    EXPECT_EQ(parameters_of(model).predictions, layer + 2LL * 7168 * 7168 + 3 * 7168);
    const ModelFlops one = forward_flops(model, false);
    model.mtp_layers = 0;
    EXPECT_EQ(one.logits, 2 * forward_flops(model, false).logits);
}

// On the last stage: an embedding, the layer with its join, and a second output layer. Earlier stages are unchanged.
TEST(MultiTokenPrediction, IsWorkOfTheLastStage) {
    const Layout layout{.parallelism = {.pp = 4}, .batch = {.global = 8}};
    const StepPlan plain = plan_step(small_gpt(8), plain_machine(), layout);
    const StepPlan plan = plan_step(predicting(8, 1), plain_machine(), layout);
    for (std::size_t stage = 0; stage < 3; ++stage) {
        EXPECT_EQ(plan.stages[stage].chunks[0].whole.forward.of, plain.stages[stage].chunks[0].whole.forward.of);
        EXPECT_EQ(plan.stages[stage].parameters(), plain.stages[stage].parameters());
    }
    const BlockTimes times(plan.model, plan.machine, layout, block_groups(layout, plan.machine));
    TimeParts forward = plain.stages[3].chunks[0].whole.forward;
    forward += times.of_embedding().forward;
    forward += times.of_prediction(0).forward;
    forward += times.of_output().forward;
    EXPECT_EQ(plan.stages[3].chunks[0].whole.forward.of, forward.of);
    EXPECT_EQ(plan.stages[3].parameters() - plain.stages[3].parameters(), parameters_of(plan.model).predictions);
    EXPECT_EQ(plan.stages[3].first_alike, 3);
}

// m on virtual stage 2: its embedding is a separate copy there, and the outputs stay on the last stage.
TEST(MultiTokenPrediction, MayStandOnAStageOfItsOwn) {
    Layout layout{.parallelism = {.pp = 4, .split = layer_split_of_text("Et*4|t*4|m|L")}, .batch = {.global = 8}};
    const StepPlan plan = plan_step(predicting(8, 1), plain_machine(), layout);
    const std::int64_t table = std::int64_t{16'384} * 1024;
    EXPECT_EQ(plan.stages[2].parameters(), parameters_of(plan.model).predictions + table);
    EXPECT_EQ(plan.stages[2].chunks[0].whole.predictions, 1);
    EXPECT_EQ(plan.stages[3].parameters(), table + 2 * 1024);  // tied embedding, and the final norm
    EXPECT_TRUE(has_table_for_predictions(plan.model, layout, 2));
    EXPECT_FALSE(has_table_for_predictions(plan.model, layout, 3));
}

// A second set of logits is kept, and the activations of a layer and its join: 5 times 2 b s h.
TEST(MultiTokenPrediction, KeepsALayerAJoinAndLogitsMore) {
    const Layout layout{.parallelism = {.pp = 4}, .batch = {.global = 8}};
    const auto last = [&](const Transformer& model) {
        return memory_of(model, plain_machine(), layout).stages[3].peak;
    };
    const MemoryUse plain = last(small_gpt(8));
    const MemoryUse more = last(predicting(8, 1));
    EXPECT_EQ(more.activations - plain.activations, layer_activations(small_gpt(8), layout, 0) + 5 * 2 * 512 * 1024);
    EXPECT_EQ(more.working - plain.working, 2LL * 512 * 16'384);  // 2 bytes per logit
}

TEST(MultiTokenPrediction, HasItsCollectivesAmongThoseOfTheLastStage) {
    const Layout layout{.parallelism = {.tp = 2, .pp = 2, .sequence_parallel = true}, .batch = {.global = 2}};
    const auto forward = [&](const Transformer& model) {
        const StepPlan plan = plan_step(model, plain_machine(), layout);
        const InnerCollectives inner(plan);
        std::size_t count = 0;
        const StageStep step = stage_step(plan, 1);
        for (const Piece& piece : step.chunks[0].of(PassKind::forward)) {
            count += inner.of(piece).size();
        }
        return count;
    };
    // The embedding's, two of the join (its input and its columns), 4 of the layer, and the output layer's.
    EXPECT_EQ(forward(predicting(4, 1)) - forward(small_gpt(4)), 1U + 2U + 4U + 1U);
}

}  // namespace sim::training
