// The pieces of a training step, and the groups of ranks that they involve.
#include "libsim/error.hpp"
#include "libsim/training/step/stage_step.hpp"
#include "tests/support/training_steps.hpp"

#include <algorithm>

namespace sim::training {

using namespace test;

namespace {

std::int64_t count(const Pieces& pieces, StepWork work) {
    return std::count_if(pieces.begin(), pieces.end(),
                         [&](const Piece& piece) { return piece.kind == PieceKind::collect && piece.work == work; });
}

ChunkPasses first_chunk(const Layout& layout) {
    static StepPlan plan;  // the pieces refer to it
    plan = plan_step(small_gpt(8), plain_machine(), layout);
    return stage_step(plan, 0).chunks.front();
}

}  // namespace

TEST(StepWork, IsFoundByItsLabel) {
    for (int work = 0; work <= static_cast<int>(StepWork::optimizer); ++work) {
        EXPECT_EQ(step_work(label_of(static_cast<StepWork>(work))), static_cast<StepWork>(work));
    }
    EXPECT_THROW(step_work("nap"), ProgramError);
}

// 8 buckets of one layer each: the forward pass gathers all, the backward pass all but the last again.
TEST(StageStep, GathersEveryBucketForEachPassWhereParametersAreSharded) {
    const ChunkPasses passes = first_chunk({.parallelism = {.dp = 4, .zero = 3}, .batch = {.global = 8}});
    EXPECT_EQ(count(passes.of(PassKind::forward), StepWork::gather_parameters), 8);
    EXPECT_EQ(count(passes.of(PassKind::backward), StepWork::gather_parameters), 7);
    EXPECT_EQ(count(passes.of(PassKind::backward), StepWork::reduce_scatter_gradients), 8);
}

// The input gradient is a product with the parameters, the weight gradient is not. 4 layers per stage.
TEST(StageStep, GathersShardedParametersForTheHalfOfABackwardPassThatMultipliesThem) {
    const ChunkPasses passes = first_chunk(
        {.parallelism = {.dp = 4, .pp = 2, .schedule = pipeline_schedule("zb_h1"), .zero = 3}, .batch = {.global = 8}});
    EXPECT_EQ(count(passes.of(PassKind::forward), StepWork::gather_parameters), 4);
    EXPECT_EQ(count(passes.of(PassKind::backward_input), StepWork::gather_parameters), 3);
    EXPECT_EQ(count(passes.of(PassKind::backward_input), StepWork::reduce_scatter_gradients), 0);
    EXPECT_EQ(count(passes.of(PassKind::backward_weight), StepWork::gather_parameters), 0);
    EXPECT_EQ(count(passes.of(PassKind::backward_weight), StepWork::reduce_scatter_gradients), 4);
}

TEST(StageStep, GathersOnceMoreForWhatDeepSpeedComputesAgain) {
    Layout layout{.parallelism = {.dp = 4, .zero = 3},
                  .batch = {.global = 8},
                  .framework = {.loop = TrainingLoop::deepspeed, .recompute = Recompute::full}};
    EXPECT_EQ(count(first_chunk(layout).of(PassKind::backward), StepWork::gather_parameters), 7 + 8);
    layout.framework.recompute = Recompute::none;
    EXPECT_EQ(count(first_chunk(layout).of(PassKind::backward), StepWork::gather_parameters), 7);
}

// Copying takes 13 us for each of 64 ranks' parts: 4 tensors gathered, 12 reduced.
TEST(StageStep, CopiesThePartsOfEachRankWhereCollectivesTakeLists) {
    Layout layout{.parallelism = {.dp = 64, .zero = 3},
                  .batch = {.global = 64},
                  .framework = {.gathers_per_layer = 4, .reductions_per_layer = 12, .per_rank_tensors = true}};
    const ChunkPasses passes = first_chunk(layout);
    const auto copies = [&](PassKind kind) {
        std::vector<Duration> result;
        for (const Piece& piece : passes.of(kind)) {
            if (piece.work == StepWork::copy_parts) {
                result.push_back(piece.time);
            }
        }
        return result;
    };
    const Duration gathered = duration_of_seconds(64 * 4 * 13e-6);
    const Duration reduced = duration_of_seconds(64 * 12 * 13e-6);
    EXPECT_EQ(copies(PassKind::forward), std::vector(8, gathered));
    std::vector<Duration> backward = copies(PassKind::backward);
    EXPECT_EQ(std::count(backward.begin(), backward.end(), gathered), 7);
    EXPECT_EQ(std::count(backward.begin(), backward.end(), reduced), 8);
    layout.framework.per_rank_tensors = false;
    EXPECT_EQ(first_chunk(layout).of(PassKind::forward).size() + 8, passes.of(PassKind::forward).size());
}

// Bytes of memory traffic per parameter at 2 TB/s x the achieved share, after each pass that computes weight gradients.
TEST(StageStep, AddsGradientsToTheirSumWhereNoProductDoes) {
    const auto bytes_added = [](const Layout& layout, PassKind kind = PassKind::backward) {
        const ChunkPasses passes = first_chunk(layout);
        const StepPlan plan = plan_step(small_gpt(8), plain_machine(), layout);
        double bytes = 0;
        for (const Piece& piece : passes.of(kind)) {
            bytes += piece.work == StepWork::add_gradients ? seconds(piece.time) * plan.copied_rate : 0;
        }
        return bytes / static_cast<double>(plan.stages[0].parameters());
    };
    Layout layout{.parallelism = {.dp = 2}, .batch = {.global = 8}};
    EXPECT_EQ(bytes_added(layout), 0);
    layout.framework.fused_accumulation = false;
    EXPECT_NEAR(bytes_added(layout), 2 + 4 + 4, 1e-6);  // bf16 read, fp32 read and written
    EXPECT_NEAR(bytes_added(layout, PassKind::last_backward), 10, 1e-6);
    layout.numerics = {.precision = Precision::fp16, .fp32_gradients = false};
    EXPECT_NEAR(bytes_added(layout), 3 * 2 * 3 / 4.0, 1e-6);  // autograd keeps the first of four as it is
    layout.parallelism.zero = 2;
    EXPECT_EQ(bytes_added(layout), 0);  // only the rank's part is added
    layout = {.parallelism = {.dp = 2}, .batch = {.global = 8}, .framework = {.loop = TrainingLoop::deepspeed}};
    EXPECT_NEAR(bytes_added(layout), (2 + 4) + (4 + 4 + 4), 1e-6);  // copied to fp32, then added
    layout.parallelism.pp = 2;
    layout.parallelism.schedule = pipeline_schedule("zb_h1");
    EXPECT_EQ(bytes_added(layout, PassKind::backward_input), 0);
    EXPECT_NEAR(bytes_added(layout, PassKind::backward_weight), 18, 1e-6);
}

TEST(StageStep, ReducesGradientsBesideTheLastBackwardPassAlone) {
    const ChunkPasses passes = first_chunk({.parallelism = {.dp = 4}, .batch = {.global = 8}});
    EXPECT_EQ(count(passes.of(PassKind::backward), StepWork::all_reduce_gradients), 0);
    EXPECT_EQ(count(passes.of(PassKind::last_backward), StepWork::all_reduce_gradients),
              3);  // buckets of 40 M parameters
}

// With a sharded gradient sum, every micro-batch's gradients are reduced; among several pipeline stages, only on
// request.
TEST(StageStep, ReducesGradientsBesideEveryBackwardPassWhereTheirSumIsSpread) {
    for (const int stages : {1, 2}) {
        Layout layout{.parallelism = {.dp = 4, .pp = stages, .zero = 2},
                      .batch = {.global = 32},
                      .framework = {.reduce_each_micro_batch = stages > 1}};
        const ChunkPasses passes = first_chunk(layout);
        const std::int64_t buckets = stages == 1 ? 3 : 2;  // of 40 M parameters: 8 layers of 12.6 M, and the embeddings
        EXPECT_EQ(count(passes.of(PassKind::backward), StepWork::reduce_scatter_gradients), buckets);
        EXPECT_FALSE(passes.has(PassKind::last_backward));
        EXPECT_EQ(count(passes.of(PassKind::forward), StepWork::gather_parameters), 0);
        layout.framework.overlap_gradients = false;
        const ChunkPasses waiting = first_chunk(layout);
        const Pieces& backward = waiting.of(PassKind::backward);
        EXPECT_EQ(std::count_if(backward.begin(), backward.end(),
                                [](const Piece& piece) { return piece.kind == PieceKind::wait; }),
                  buckets);
    }
}

// MegaScale's layout: 2 chunks of 2 layers, one bucket each. All micro-batches of a chunk but its last accumulate their
// gradients locally.
TEST(StageStep, OfZeRO2AmongStagesReducesOnceAChunk) {
    Layout layout{.parallelism = {.dp = 4, .pp = 2, .interleave = 2, .zero = 2}, .batch = {.global = 32}};
    layout.parallelism.schedule = usual_pipeline_schedule(2);
    const StepPlan plan = plan_step(small_gpt(8), plain_machine(), layout);
    for (const ChunkPasses& passes : stage_step(plan, 0).chunks) {
        EXPECT_EQ(count(passes.of(PassKind::backward), StepWork::reduce_scatter_gradients), 0);
        EXPECT_EQ(count(passes.of(PassKind::last_backward), StepWork::reduce_scatter_gradients), 1);
    }
    layout.parallelism.zero = 1;
    EXPECT_EQ(run_step(plan_step(small_gpt(8), plain_machine(), layout), true).end, run_step(plan, true).end);
}

// Nodes of 8: ranks 0 to 5 are on one node, 6 to 11 on two. Four replicas, 6 apart: 0 and 6 on one node, then 12, then
// 18.
TEST(RankGroup, MayBeginInsideANode) {
    const Layout layout{.parallelism = {.dp = 4, .tp = 6}, .batch = {.global = 4}};
    EXPECT_EQ(footprint_of(RankGroup::tensor, layout, 8), (Footprint{.members = 6, .on_node = 3}));
    EXPECT_EQ(footprint_of(RankGroup::replicas, layout, 8), (Footprint{.members = 4, .on_node = 2}));
    const Layout alone{.parallelism = {.tp = 6}, .batch = {.global = 1}};
    EXPECT_EQ(footprint_of(RankGroup::tensor, alone, 8), (Footprint{.members = 6, .on_node = 6}));
    const Layout experts{.parallelism = {.dp = 12, .ep = 4, .expert_tp = 3}, .batch = {.global = 12}};
    EXPECT_EQ(footprint_of(RankGroup::expert_tensor, experts, 8), (Footprint{.members = 3, .on_node = 2}));  // 6 7 | 8
    EXPECT_EQ(footprint_of(RankGroup::expert, experts, 8), (Footprint{.members = 4, .on_node = 2}));  // 0 3 6 | 9
}

TEST(RankGroup, LiesOnAsFewNodesAsItCanWhereGroupsLineUpWithThem) {
    const Layout layout{.parallelism = {.dp = 2, .tp = 4, .pp = 2, .cp = 2}, .batch = {.global = 2}};
    EXPECT_EQ(footprint_of(RankGroup::tensor, layout, 8), (Footprint{.members = 4, .on_node = 4}));
    EXPECT_EQ(footprint_of(RankGroup::context, layout, 8), (Footprint{.members = 2, .on_node = 2}));
    EXPECT_EQ(footprint_of(RankGroup::replicas, layout, 8), (Footprint{.members = 4, .on_node = 2}));
    EXPECT_EQ(footprint_of(RankGroup::ends, layout, 8), (Footprint{.members = 2, .on_node = 1}));
    EXPECT_EQ(footprint_of(RankGroup::everyone, layout, 8), (Footprint{.members = 32, .on_node = 8}));
}

// tp 2 is innermost, then cp 2, dp 2: rank 5 is the second of its tp group, the first of cp, the second of dp.
TEST(RankMap, HasTheGroupsOfMegatron) {
    const Layout layout{.parallelism = {.dp = 2, .tp = 2, .pp = 2, .cp = 2, .ep = 4}, .batch = {.global = 2}};
    const RankMap all(layout, false);
    EXPECT_EQ(all.ranks(), 16);
    EXPECT_EQ(all.stages(5).ranks(), (std::vector{5, 13}));
    EXPECT_EQ(all.group(RankGroup::replicas, 5).ranks(), (std::vector{1, 3, 5, 7}));
    EXPECT_EQ(all.group(RankGroup::expert_replicas, 13).ranks(), (std::vector{9, 13}));
    EXPECT_EQ(all.group(RankGroup::ends, 13).ranks(), (std::vector{5, 13}));
    EXPECT_EQ(all.group(RankGroup::everyone, 3).size(), 16);
    EXPECT_EQ(members_of(RankGroup::expert_replicas, layout), 2);
    const RankMap folded(layout, true);
    EXPECT_EQ(folded.ranks(), 2);
    EXPECT_EQ(folded.real_ranks(), (std::vector{0, 8}));
    EXPECT_EQ(folded.group(RankGroup::replicas, 1).whole().ranks(), (std::vector{8, 10, 12, 14}));
}

}  // namespace sim::training
