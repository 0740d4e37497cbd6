// A tower in front of a language model: its parameters, FLOPs, bytes, time and collectives, trained or frozen.
#include "libsim/error.hpp"
#include "libsim/training/check_layout.hpp"
#include "libsim/training/layer_training.hpp"
#include "libsim/training/memory.hpp"
#include "libsim/training/memory/tower_bytes.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/step/inner_collectives.hpp"
#include "libsim/training/step/stage_step.hpp"
#include "libsim/training/tower.hpp"
#include "tests/support/training_steps.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace {

using namespace sim;
using namespace sim::training;
using namespace sim::test;

constexpr double h = 256;       // hidden
constexpr double patches = 64;  // of an image
constexpr double images = 3;    // of a sequence
constexpr double text = 1024;   // hidden of the text

// 2 layers over 64 patches of 192 values; 4 patches become one of 16 tokens by products of 1024 x 512 and 512 x 1024.
Tower small_tower() {
    Tower tower{.images = 3, .tokens = 16, .joined = 4, .products = 2, .inner = 512, .norm = true};
    tower.model = {.name = "tower",
                   .layers = 2,
                   .hidden = 256,
                   .ffn = 1024,
                   .heads = 4,
                   .kv_heads = 4,
                   .head_dim = 64,
                   .vocabulary = 1,
                   .sequence = 64,
                   .causal = false,
                   .tied_embeddings = false,
                   .learned_positions = true};
    tower.model.patches = Patches{.values = 192};
    return tower;
}

Transformer seeing(bool frozen = false) {
    Transformer model = small_gpt(4);
    Tower tower = small_tower();
    tower.frozen = frozen;
    model.tower = tower;
    return model;
}

const std::int64_t of_layer = 4 * (256 * 256 + 256) + (2 * 256 * 1024 + 1024 + 256) + 4 * 256;
const std::int64_t of_projector = 2 * 256 + 2 * 256 + 1024 * 512 + 512 * 1024;  // with the norms before it
const std::int64_t of_tower = 192 * 256 + 256 + 64 * 256 + 2 * of_layer;

const Layout two_stages{.parallelism = {.pp = 2}, .batch = {.global = 2}};

TEST(Tower, HasTheParametersOfItsPatchesLayersAndProjector) {
    check_transformer(seeing());
    const Parameters all = parameters_of(seeing());
    EXPECT_EQ(all.tower, of_tower + of_projector);
    EXPECT_EQ(all.total() - parameters_of(small_gpt(4)).total(), of_tower + of_projector);
    EXPECT_EQ(all.total(), all.active);
}

// Each image: a product of its patches, two layers, and the projector for 16 tokens.
TEST(Tower, HasTheFlopsOfItsImages) {
    const double layer = 2 * patches * (4 * h * h + 2 * h * 1024) + 2 * patches * patches * 2 * h;
    const double transformer = images * (2 * patches * 192 * h + 2 * layer);
    const double projector = images * 2 * 16 * (1024 * 512 + 512 * text);
    const ModelFlops trained = forward_flops(seeing(), true);
    EXPECT_EQ(trained.tower, transformer + projector);
    EXPECT_EQ(trained.frozen_tower, 0);
    const ModelFlops frozen = forward_flops(seeing(true), true);
    EXPECT_EQ(frozen.tower, projector);
    EXPECT_EQ(frozen.frozen_tower, transformer);
    const double without = training_flops(small_gpt(4), {}, true);
    EXPECT_EQ(training_flops(seeing(), {}, true), without + 3 * (transformer + projector));
    EXPECT_EQ(training_flops(seeing(true), {}, true), without + transformer + 3 * projector);
}

// The first stage alone has it: its parameters, and its time beside the embedding's.
TEST(Tower, IsOnTheFirstStage) {
    const StepPlan with = plan_step(seeing(), plain_machine(), two_stages);
    const StepPlan without = plan_step(small_gpt(4), plain_machine(), two_stages);
    const auto first = [](const StepPlan& plan) { return plan.stages[0].chunks[0].whole; };
    EXPECT_EQ(first(with).dense_parameters - first(without).dense_parameters, of_tower + of_projector);
    EXPECT_EQ(with.stages[1].parameters(), without.stages[1].parameters());
    EXPECT_EQ(with.stages[1].chunks[0].whole.forward.total(), without.stages[1].chunks[0].whole.forward.total());
    const BlockTimes times(with.model, with.machine, with.layout, block_groups(with.layout, with.machine));
    EXPECT_EQ(first(with).forward.total() - first(without).forward.total(), times.of_tower().forward.total());
    EXPECT_EQ(first(with).backward().total() - first(without).backward().total(), times.of_tower().backward());
    EXPECT_GT(times.of_tower().backward(), times.of_tower().forward.total());
}

// A frozen tower has a forward pass; the projector learns.
TEST(FrozenTower, HasNoBackwardPassAndNoGradients) {
    const StepPlan frozen = plan_step(seeing(true), plain_machine(), two_stages);
    const StepPlan without = plan_step(small_gpt(4), plain_machine(), two_stages);
    const GradientBucket& bucket = frozen.stages[0].chunks[0].whole;
    EXPECT_EQ(bucket.dense_parameters - without.stages[0].chunks[0].whole.dense_parameters, of_projector);
    EXPECT_EQ(bucket.beside.frozen, of_tower);
    const auto of = [](const Transformer& model) {
        const StepPlan plan = plan_step(model, plain_machine(), two_stages);
        return BlockTimes(plan.model, plan.machine, plan.layout, block_groups(plan.layout, plan.machine)).of_tower();
    };
    EXPECT_EQ(of(seeing(true)).forward.total(), of(seeing()).forward.total());
    EXPECT_LT(of(seeing(true)).backward(), of(seeing()).backward() / 4);
}

// The projector keeps, for 3 images: its norm's input, 64 x 256 values of each; 16 tokens of 4 patches, joined and
// normed, and 512 of them before and after the activation function.
TEST(FrozenTower, KeepsThePartThatTheProjectorNeeds) {
    const TowerBytes frozen = tower_bytes(seeing(true), two_stages);
    EXPECT_EQ(frozen.kept, images * (patches * h + 2 * 16 * 4 * h + 2 * 16 * 512) * 2);
    EXPECT_EQ(frozen.trained, of_projector);
    EXPECT_EQ(frozen.frozen, of_tower);
    EXPECT_EQ(frozen.states.frozen_bytes, 2 * of_tower);
    const TowerBytes trained = tower_bytes(seeing(), two_stages);
    EXPECT_EQ(trained.trained, of_tower + of_projector);
    EXPECT_GT(trained.kept, frozen.kept + images * patches * h * 2 * 2 * 10);
}

// 2 bytes of each frozen parameter; 2, 4 and 12 bytes of each trained one.
TEST(FrozenTower, TakesTheMemoryOfItsParametersAlone) {
    const auto states = [](const Transformer& model) {
        return memory_of(model, plain_machine(), two_stages).stages[0].peak.states();
    };
    EXPECT_EQ(states(seeing()) - states(small_gpt(4)), 18 * (of_tower + of_projector));
    EXPECT_EQ(states(seeing(true)) - states(small_gpt(4)), 18 * of_projector + 2 * of_tower);
}

TEST(Tower, IsFrozenBesideAdapters) {
    Layout adapted = two_stages;
    adapted.adapters.rank = 8;
    EXPECT_EQ(tower_bytes(seeing(), adapted).trained, 0);
    EXPECT_EQ(tower_bytes(seeing(), adapted).kept, 0);
    const double tower = forward_flops(seeing(), true).tower;
    EXPECT_EQ(training_flops(seeing(), adapted.adapters, true),
              training_flops(small_gpt(4), adapted.adapters, true) + tower);
}

// Two all-reduces of each layer, of 3 x 64 hidden states; with a frozen tower none in the backward pass.
TEST(Tower, ReducesOverTensorParallelRanks) {
    Layout two = two_stages;
    two.parallelism.tp = 2;
    const auto sums = [&](const Transformer& model, PassKind kind) {
        const StepPlan plan = plan_step(model, plain_machine(), two);
        const InnerCollectives inner(plan);
        std::size_t count = 0;
        const StageStep step = stage_step(plan, 0);
        for (const Piece& piece : step.chunks[0].of(kind)) {
            for (const StepCollective& one : inner.of(piece)) {
                count += one.bytes == images * patches * h * 2 ? 1 : 0;
            }
        }
        return count;
    };
    EXPECT_EQ(sums(seeing(), PassKind::forward), 4U);
    EXPECT_EQ(sums(seeing(), PassKind::backward), 4U);
    EXPECT_EQ(sums(seeing(true), PassKind::forward), 4U);
    EXPECT_EQ(sums(seeing(true), PassKind::backward), 0U);
    EXPECT_EQ(sums(small_gpt(4), PassKind::forward), 0U);
}

TEST(Tower, HasAsManyImagesAsAreSaid) {
    Transformer model = seeing();
    give_images(model, 6);
    EXPECT_EQ(forward_flops(model, true).tower, 2 * forward_flops(seeing(), true).tower);
    EXPECT_EQ(images_told(model).substr(0, 76),
              "images 6: each has 64 patches and becomes 16 of a sequence's 512 tokens, the");
    Transformer blind = small_gpt(4);
    EXPECT_THROW(give_images(blind, 1), ProgramError);
}

TEST(Tower, IsRefusedWhereItDoesNotFit) {
    const auto refused = [](void (*spoil)(Tower&)) {
        Tower tower = small_tower();
        spoil(tower);
        Transformer model = small_gpt(4);
        model.tower = tower;
        try {
            check_transformer(model);
        } catch (const ProgramError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_THAT(refused([](Tower& tower) { tower.images = 33; }),
                testing::HasSubstr("tower.images = 33 of 16 tokens each are more than the sequence of 512"));
    EXPECT_THAT(refused([](Tower& tower) { tower.model.causal = true; }), testing::HasSubstr("must have patches"));
    EXPECT_THAT(refused([](Tower& tower) { tower.inner = 0; }), testing::HasSubstr("tower.inner = 0"));
    Layout eight = two_stages;
    eight.parallelism.tp = 8;
    const auto problems = problems_of(seeing(), plain_machine(), eight);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].what, "tp = 8 does not divide the 4 heads of the tower; 4 does");
}

}  // namespace
