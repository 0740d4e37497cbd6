// The clocks of a folded step, computed without the kernel, end at the kernel's time to the picosecond; repeated rounds
// are multiplied, which changes no time.
#include "libsim/predict/folded/folded_step.hpp"
#include "libsim/predict/predict.hpp"
#include "libsim/training/check_layout.hpp"
#include "tests/support/training_steps.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace sim::predict {

using namespace test;
using training::Layout;
using training::Machine;
using training::Transformer;

namespace {

std::string name_of_layout(const Layout& layout) {
    const training::Parallelism& at = layout.parallelism;
    return fmt::format("dp {} tp {} pp {} ep {} zero {}{} {} x {}, {} sequences, overlap {}{}{}", at.dp, at.tp, at.pp,
                       at.ep, at.zero, layout.framework.reduce_each_micro_batch ? " each time" : "", at.schedule->name,
                       at.interleave, layout.batch.global, layout.framework.overlap_gradients,
                       layout.framework.overlap_parameters, layout.framework.overlap_pipeline);
}

// Times the step in the kernel: asking for details, which the test ignores, forces its use.
Duration time_in_kernel(const Transformer& model, const Machine& machine, const Layout& layout) {
    return predict_step(model, machine, layout).step;
}

// Every schedule, combined with all options that change the order of a stage's work.
std::vector<Layout> layouts_of(const training::Parallelism& parallelism, int chunks) {
    std::vector<Layout> all;
    for (const KnownSchedule& schedule : known_schedules()) {
        for (const auto& [zero, each] : {std::pair{0, false}, {1, false}, {2, false}, {2, true}, {3, false}}) {
            for (const int micro_batches : {1, 4, 6, 8, 24}) {
                for (const int overlap : {0, 1, 2, 3, 7, 11}) {
                    Layout layout{.parallelism = parallelism};
                    layout.parallelism.schedule = schedule;
                    layout.parallelism.interleave = schedule->uses_chunks ? chunks : 1;
                    layout.parallelism.zero = zero;
                    layout.framework.reduce_each_micro_batch = each;
                    layout.batch.global = parallelism.dp * micro_batches;
                    layout.framework.overlap_gradients = (overlap & 1) != 0;
                    layout.framework.overlap_parameters = (overlap & 2) != 0;
                    layout.framework.overlap_pipeline = (overlap & 4) == 0;
                    layout.framework.deferred_output_wgrads = (overlap & 8) == 0 ? 0 : 5;
                    all.push_back(layout);
                }
            }
        }
    }
    return all;
}

struct StepsCompared {
    int all = 0;
    int repeated = 0;
};

StepsCompared compare_steps(const Transformer& model, const Machine& machine, const training::Parallelism& parallelism,
                            int chunks) {
    StepsCompared compared;
    for (const Layout& layout : layouts_of(parallelism, chunks)) {
        if (!training::is_possible(model, machine, layout)) {
            continue;
        }
        const training::StepPlan plan = training::plan_step(model, machine, layout);
        EXPECT_TRUE(pairs_end_together(plan)) << name_of_layout(layout);
        const FoldedStep step = folded_step(plan);
        const FoldedStep whole = folded_step(plan, Rounds::all_carried_out);
        EXPECT_EQ(step.time, time_in_kernel(model, machine, layout)) << name_of_layout(layout);
        EXPECT_EQ(step.time, whole.time) << name_of_layout(layout);
        EXPECT_EQ(whole.passes_known, 0) << name_of_layout(layout);
        EXPECT_EQ(predict_step(model, machine, layout, {.details = false}).step, step.time) << name_of_layout(layout);
        compared.all += 1;
        compared.repeated += step.passes_known > 0 ? 1 : 0;
    }
    return compared;
}

}  // namespace

TEST(StepClocks, EndWithTheKernelForDataParallelSteps) {
    const StepsCompared steps = compare_steps(small_gpt(), plain_machine(), {.dp = 16}, 1);
    EXPECT_GT(steps.all, 100);
    EXPECT_GT(steps.repeated, steps.all / 3);
}

TEST(StepClocks, EndWithTheKernelForPipelines) {
    for (const int stages : {2, 4, 8}) {
        const StepsCompared steps =
            compare_steps(small_gpt(8), plain_machine(), {.dp = 4, .tp = 2, .pp = stages}, 8 / stages);
        EXPECT_GT(steps.all, 100);
        EXPECT_GT(steps.repeated, 10);
    }
}

TEST(StepClocks, EndWithTheKernelForStagesOfUnlikeLength) {
    const StepsCompared steps = compare_steps(small_gpt(11), plain_machine(), {.dp = 2, .tp = 4, .pp = 4}, 1);
    EXPECT_GT(steps.all, 100);
}

TEST(StepClocks, EndWithTheKernelForStagesThatBeginWithinANode) {
    const StepsCompared steps = compare_steps(small_gpt(10), plain_machine(), {.dp = 3, .tp = 1, .pp = 5}, 2);
    EXPECT_GT(steps.all, 100);
}

TEST(StepClocks, EndWithTheKernelForExperts) {
    const StepsCompared steps =
        compare_steps(small_moe(), plain_machine(), {.dp = 8, .tp = 2, .pp = 2, .ep = 8, .sequence_parallel = true}, 2);
    EXPECT_GT(steps.all, 100);
}

// On such a slow network the data-parallel stream never catches up with the computations.
TEST(StepClocks, EndWithTheKernelWhereTheNetworkIsTheBottleneck) {
    Machine machine = plain_machine();
    machine.scale_out = 0.2e9;
    machine.derive_network();
    const StepsCompared steps = compare_steps(small_gpt(8), machine, {.dp = 16, .pp = 4}, 2);
    EXPECT_GT(steps.all, 100);
}

// A stage of 1F1B runs as many warm-up forward passes as stages follow it, minus one; the rest are rounds.
TEST(StepClocks, CarryOutAFewRoundsOfAThousand) {
    Layout layout{.parallelism = {.dp = 2, .tp = 4, .pp = 4}, .batch = {.global = 2048}};
    const training::StepPlan plan = training::plan_step(small_gpt(), plain_machine(), layout);
    const FoldedStep step = folded_step(plan);
    EXPECT_EQ(step.passes, 4 * 2 * 1024);
    EXPECT_LT(step.passes - step.passes_known, 4 * 2 * 64);
    EXPECT_EQ(step.time, folded_step(plan, Rounds::all_carried_out).time);
}

// One GPU, m micro-batches: all but the first take equally long.
TEST(StepClocks, GrowByOneMicroBatchOnOneGpu) {
    const auto time_of = [](int micro_batches) {
        const Layout layout{.batch = {.global = micro_batches}};
        return folded_step(training::plan_step(small_gpt(), plain_machine(), layout)).time;
    };
    EXPECT_EQ(time_of(1000) - time_of(10), 990 * (time_of(3) - time_of(2)));
}

// GPipe's first stage sends all its micro-batches before the next stage, which has one layer more, has received them.
TEST(StepClocks, MultiplyNothingWhereMessagesPileUp) {
    Layout layout{.parallelism = {.pp = 4, .schedule = pipeline_schedule("gpipe")}, .batch = {.global = 400}};
    const training::StepPlan plan = training::plan_step(small_gpt(9), plain_machine(), layout);
    const FoldedStep step = folded_step(plan);
    EXPECT_EQ(step.passes_known, 0);
    EXPECT_EQ(step.time, time_in_kernel(small_gpt(9), plain_machine(), layout));
}

// Nodes of 8 hold 4 stages: messages from stage 3 to 4 cross nodes, those from 2 to 1, in the other half, do not.
TEST(StepClocks, LeaveCopiesThatMeetAtOtherTimesToTheKernel) {
    const Layout layout{.parallelism = {.dp = 2, .pp = 6, .schedule = pipeline_schedule("dualpipe"), .zero = 1},
                        .batch = {.global = 24}};
    EXPECT_FALSE(pairs_end_together(training::plan_step(small_gpt(12), plain_machine(), layout)));
    EXPECT_EQ(predict_step(small_gpt(12), plain_machine(), layout, {.details = false}).step,
              time_in_kernel(small_gpt(12), plain_machine(), layout));
}

}  // namespace sim::predict
