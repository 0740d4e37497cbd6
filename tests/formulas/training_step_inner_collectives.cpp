// The collectives inside the passes of a training step, and stages that do the same work.
#include "libsim/training/step/inner_collectives.hpp"
#include "tests/support/training_steps.hpp"

#include <algorithm>
#include <iterator>

namespace sim::training {

using namespace test;

namespace {

std::vector<StepCollective> within(const StepPlan& plan, const Pieces& pieces) {
    const InnerCollectives inner(plan);
    std::vector<StepCollective> all;
    for (const Piece& piece : pieces) {
        const std::vector<StepCollective> some = inner.of(piece);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

std::vector<StepCollective> operator+(std::vector<StepCollective> list, const std::vector<StepCollective>& more) {
    list.insert(list.end(), more.begin(), more.end());
    return list;
}

// Activations of one micro-batch in 2 bytes each: 512 tokens of width 1024.
constexpr double activations = 512 * 1024 * 2;
const StepCollective gather{RankGroup::tensor, CollectiveKind::all_gather, activations};
const StepCollective scatter{RankGroup::tensor, CollectiveKind::reduce_scatter, activations};
const std::vector<StepCollective> forward_of_layer{gather, scatter, gather, scatter};  // attention, feed-forward
const std::vector<StepCollective> backward_of_layer = forward_of_layer;

// Four stages of two layers each.
Layout of_tensor_parallel_stages() {
    return {.parallelism = {.tp = 2, .pp = 4, .sequence_parallel = true}, .batch = {.global = 4}};
}

}  // namespace

TEST(InnerCollectives, OfALayerGatherAndScatterItsActivationsTwiceInEachPass) {
    const StepPlan plan = plan_step(small_gpt(8), plain_machine(), of_tensor_parallel_stages());
    const StageStep step = stage_step(plan, 1);
    EXPECT_EQ(within(plan, step.chunks[0].of(PassKind::forward)), forward_of_layer + forward_of_layer);
    EXPECT_EQ(within(plan, step.chunks[0].of(PassKind::backward)), backward_of_layer + backward_of_layer);
    EXPECT_TRUE(within(plan, step.before).empty());
    EXPECT_TRUE(within(plan, step.after).empty());
}

TEST(InnerCollectives, OfTheEndsScatterTheEmbeddingAndGatherForTheLogits) {
    const StepPlan plan = plan_step(small_gpt(8), plain_machine(), of_tensor_parallel_stages());
    EXPECT_EQ(within(plan, stage_step(plan, 0).chunks[0].of(PassKind::forward)),
              std::vector{scatter} + forward_of_layer + forward_of_layer);
    EXPECT_EQ(within(plan, stage_step(plan, 3).chunks[0].of(PassKind::forward)),
              forward_of_layer + forward_of_layer + std::vector{gather});
}

TEST(InnerCollectives, OfABackwardPassAreThoseOfLayersThatAreRecomputedToo) {
    Layout layout = of_tensor_parallel_stages();
    layout.framework.recompute = Recompute::full;
    const StepPlan plan = plan_step(small_gpt(8), plain_machine(), layout);
    const std::vector<StepCollective> layer = forward_of_layer + backward_of_layer;
    EXPECT_EQ(within(plan, stage_step(plan, 2).chunks[0].of(PassKind::backward)), layer + layer);
    // The logits are not recomputed.
    EXPECT_EQ(within(plan, stage_step(plan, 3).chunks[0].of(PassKind::backward)), std::vector{scatter} + layer + layer);
}

TEST(InnerCollectives, OfASplitBackwardPassAreInItsPassOfInputs) {
    Layout layout = of_tensor_parallel_stages();
    layout.parallelism.schedule = pipeline_schedule("zb_h1");
    const StepPlan plan = plan_step(small_gpt(8), plain_machine(), layout);
    const StageStep step = stage_step(plan, 1);
    EXPECT_EQ(within(plan, step.chunks[0].of(PassKind::backward_input)), backward_of_layer + backward_of_layer);
    EXPECT_TRUE(within(plan, step.chunks[0].of(PassKind::backward_weight)).empty());
}

// 512 tokens go to 2 experts each; both ranks of an expert get the tokens of both.
TEST(InnerCollectives, OfExpertsExchangeTokensAndGatherThemWithinAnExpert) {
    const Layout layout{.parallelism = {.dp = 4, .ep = 2, .expert_tp = 2}, .batch = {.global = 4}};
    const StepPlan plan = plan_step(small_moe(1), plain_machine(), layout);
    const StepCollective exchange{RankGroup::expert, CollectiveKind::all_to_all, 2 * activations};
    const StepCollective join{RankGroup::expert_tensor, CollectiveKind::all_gather, 2 * 2 * activations};
    const StepCollective part{RankGroup::expert_tensor, CollectiveKind::reduce_scatter, 2 * 2 * activations};
    const StageStep step = stage_step(plan, 0);
    EXPECT_EQ(within(plan, step.chunks[0].of(PassKind::forward)), (std::vector{exchange, join, part, exchange}));
    EXPECT_EQ(within(plan, step.chunks[0].of(PassKind::backward)), (std::vector{exchange, join, part, exchange}));
}

// 9 layers in 4 stages: 2, 3, 2, 2. The last two are not alike, because the last one computes the logits.
TEST(StagePlan, NamesTheFirstOfTheStagesThatDoTheSame) {
    const auto first_alike = [](const Transformer& model, int stages) {
        const StepPlan plan =
            plan_step(model, plain_machine(), {.parallelism = {.pp = stages}, .batch = {.global = stages}});
        std::vector<int> first;
        std::transform(plan.stages.begin(), plan.stages.end(), std::back_inserter(first),
                       [](const StagePlan& stage) { return stage.first_alike; });
        return first;
    };
    EXPECT_EQ(first_alike(small_gpt(9), 4), (std::vector{0, 1, 2, 3}));
    EXPECT_EQ(first_alike(small_gpt(12), 6), (std::vector{0, 1, 1, 1, 1, 5}));
    Transformer mixed = small_moe(12);
    mixed.experts.dense_layers = 6;
    EXPECT_EQ(first_alike(mixed, 6), (std::vector{0, 1, 1, 3, 3, 5}));
}

TEST(StagePlan, HasLayersOfItsOwnWhereStagesAreAlike) {
    const StepPlan plan =
        plan_step(small_gpt(12), plain_machine(),
                  {.parallelism = {.dp = 2, .pp = 6, .zero = 3}, .batch = {.global = 12}});  // one bucket per layer
    for (std::size_t stage = 0; stage < 6; ++stage) {
        const ChunkPlan& chunk = plan.stages[stage].chunks[0];
        const int first = 2 * static_cast<int>(stage);
        EXPECT_EQ(chunk.whole.first_layer, first);
        ASSERT_EQ(chunk.buckets.size(), 2U);
        EXPECT_EQ(chunk.buckets[0].first_layer, first);
        EXPECT_EQ(chunk.buckets[1].first_layer, first + 1);
    }
}

}  // namespace sim::training
