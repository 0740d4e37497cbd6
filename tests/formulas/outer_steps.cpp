// Outer steps (DiLoCo): workers that average their parameters once in many steps.
#include "libsim/training/check_layout.hpp"
#include "libsim/training/memory.hpp"
#include "tests/support/training_steps.hpp"

namespace sim::training {

using namespace test;

namespace {

// 16 ranks, two nodes, each of which is a worker.
Layout two_workers(int zero, int every) {
    return {.parallelism = {.dp = 16, .zero = zero, .shard = 8},
            .batch = {.global = 16},
            .framework = {.overlap_gradients = false, .overlap_parameters = false, .outer_every = every}};
}

std::string outer_refused(const Layout& layout) {
    std::string text;
    for (const LayoutProblem& problem : problems_of(small_gpt(8), plain_machine(), layout)) {
        text += problem.what;
    }
    return text;
}

}  // namespace

// The parameters of the last outer step and the outer momentum, 4 bytes each, beside Adam's 12; sharded with them.
TEST(OuterSteps, TakeEightBytesPerParameter) {
    EXPECT_EQ(state_bytes(two_workers(0, 500), 8).total(), 2 + 4 + 12 + 8);
    EXPECT_EQ(state_bytes(two_workers(1, 500), 8).total(), 2 + 4 + (12 + 8) / 8.0);
}

// Gradients are all-reduced within a node; 4 bytes of deltas per parameter between 2 nodes, and 9 passes over as much
// memory, once in 500 steps.
TEST(OuterSteps, MakeAStepOfTheSumOfItsParts) {
    const StepPlan plan = plan_step(small_gpt(8), plain_machine(), two_workers(0, 500));
    const StagePlan& stage = plan.stages[0];
    const GradientBucket& whole = stage.chunks[0].whole;
    const std::int64_t bytes = 4 * whole.dense_parameters;
    const auto all_reduce = [&](std::int64_t size, Footprint members) {
        return nccl_time(plan.machine.network, CollectiveKind::all_reduce, size, members);
    };
    EXPECT_EQ(stage.outer.dense_bytes, static_cast<double>(bytes));
    EXPECT_EQ(stage.outer.reduction, duration_of_seconds(seconds(all_reduce(bytes, {2, 1})) / 500));
    EXPECT_EQ(stage.outer.update, duration_of_seconds(9.0 * static_cast<double>(bytes) / plan.copied_rate / 500));
    EXPECT_EQ(run_step(plan, true).end - Time{},
              plan.step_overhead + plan.micro_batch_overhead + whole.forward.total() + whole.backward().total() +
                  all_reduce(bytes, {8, 8}) + all_reduce(4, {16, 8}) + stage.optimizer.total() + stage.outer.total());
}

TEST(OuterSteps, SumNoGradientsBetweenWorkers) {
    for (const int zero : {0, 1, 3}) {
        const StepPlan plan = plan_step(small_gpt(8), plain_machine(), two_workers(zero, 500));
        const StageStep step = stage_step(plan, 0);
        for (const Pieces& pieces : {step.before, step.chunks[0].of(PassKind::last_backward), step.after}) {
            for (const Piece& piece : pieces) {
                for (const StepCollective& one : piece.collectives) {
                    EXPECT_FALSE(one.exists() && one.group == RankGroup::shard_copies);
                }
            }
        }
    }
}

// A shard of 1/8 of the parameters is averaged with the one other worker's.
TEST(OuterSteps, AverageShardsOfParameters) {
    const StagePlan whole = plan_step(small_gpt(8), plain_machine(), two_workers(0, 500)).stages[0];
    EXPECT_EQ(plan_step(small_gpt(8), plain_machine(), two_workers(3, 500)).stages[0].outer.dense_bytes,
              whole.outer.dense_bytes / 8);
}

TEST(OuterSteps, AreRefusedWithOneWorker) {
    EXPECT_EQ(outer_refused(two_workers(0, 500)), "");
    Layout alone = two_workers(1, 500);
    alone.parallelism.shard = 0;
    EXPECT_EQ(outer_refused(alone),
              "outer-every = 500 needs 2 or more workers, groups of fewer than dp x cp = 16 ranks; shard: 8 does");
    Layout each = two_workers(0, 500);
    each.parallelism.shard = 1;
    EXPECT_EQ(outer_refused(each), "");
}

}  // namespace sim::training
