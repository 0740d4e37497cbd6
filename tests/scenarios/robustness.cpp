// The slowdown of a step from one slow GPU, or from slow links, against runs of every rank.
#include "libsim/predict/robustness.hpp"

#include "libsim/predict/predict.hpp"
#include "tests/support/training_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace sim::predict {

using namespace test;
using training::Layout;

namespace {

// Without kernels slowed by concurrent streams, because those of waiting GPUs would be slowed, too.
training::Machine undisturbed_machine() {
    training::Machine machine = plain_machine();
    machine.gpu.efficiency.compute_beside = 1;
    return machine;
}

Duration step_of_all_ranks(const training::Machine& machine, const Layout& layout, int slow_rank = -1) {
    PredictOptions options{.unfold = true};
    if (slow_rank >= 0) {
        options.faults = {faults::SlowRank{.rank = slow_rank, .factor = slow_gpu_factor, .window = {}}};
    }
    return predict_step(small_gpt(), machine, layout, options).step;
}

double share_of_all_ranks(const training::Machine& machine, const Layout& layout, int slow_rank) {
    return seconds(step_of_all_ranks(machine, layout, slow_rank)) / seconds(step_of_all_ranks(machine, layout)) - 1;
}

TEST(Robustness, OfOneGpuIsThatOfItsComputations) {
    const Robustness found = robustness_of(small_gpt(), undisturbed_machine(), {.batch = {.global = 4}});
    EXPECT_NEAR(found.slow_gpu, 0.1, 1e-9);  // nothing else takes time
    EXPECT_NEAR(found.slow_gpu_on_average, 0.1, 1e-9);
    EXPECT_FALSE(found.slow_links.has_value());
}

TEST(Robustness, IsWhatOneSlowGpuOfAllCosts) {
    for (const Layout& layout : {Layout{.parallelism = {.dp = 8, .zero = 1}, .batch = {.global = 32}},
                                 Layout{.parallelism = {.dp = 4, .tp = 2}, .batch = {.global = 16}},
                                 Layout{.parallelism = {.dp = 2, .tp = 4, .zero = 3}, .batch = {.global = 8}}}) {
        const Robustness found = robustness_of(small_gpt(), undisturbed_machine(), layout);
        EXPECT_NEAR(found.slow_gpu, share_of_all_ranks(undisturbed_machine(), layout, 3), 1e-9)
            << layout.parallelism.dp;
        EXPECT_EQ(found.slow_gpu, found.slow_gpu_on_average) << "there is one stage";
        EXPECT_LT(found.slow_gpu, 0.1);  // communication takes as long as before
    }
}

TEST(Robustness, IsThatOfTheStageWhereASlowGpuCostsMost) {
    const Layout layout{.parallelism = {.dp = 2, .pp = 4}, .batch = {.global = 16}};
    double most = 0;
    double sum = 0;
    for (int stage = 0; stage < 4; ++stage) {
        const double share = share_of_all_ranks(undisturbed_machine(), layout, 2 * stage + 1);
        most = std::max(most, share);
        sum += share;
    }
    const Robustness found = robustness_of(small_gpt(), undisturbed_machine(), layout);
    EXPECT_NEAR(found.slow_gpu, most, 1e-9);
    EXPECT_NEAR(found.slow_gpu_on_average, sum / 4, 1e-9);
    EXPECT_LT(found.slow_gpu_on_average, found.slow_gpu);
}

TEST(Robustness, OfSeveralNodesIsThatOfHalfOfTheirNetwork) {
    const Layout layout{.parallelism = {.dp = 16}, .batch = {.global = 32}};
    training::Machine half = undisturbed_machine();
    half.scale_out /= 2;
    half.derive_network();
    const Robustness found = robustness_of(small_gpt(), undisturbed_machine(), layout);
    EXPECT_TRUE(found.slow_links_between_nodes);
    EXPECT_NEAR(
        found.slow_links.value(),
        seconds(step_of_all_ranks(half, layout)) / seconds(step_of_all_ranks(undisturbed_machine(), layout)) - 1,
        1e-12);
    EXPECT_GT(found.slow_links.value(), 0.01);
}

TEST(Robustness, OfOneNodeIsThatOfHalfOfItsLinks) {
    const Layout layout{.parallelism = {.tp = 8}, .batch = {.global = 8}};
    training::Machine half = undisturbed_machine();
    half.scale_up /= 2;
    half.network.ll_most /= 2;
    half.derive_network();
    const Robustness found = robustness_of(small_gpt(), undisturbed_machine(), layout);
    EXPECT_FALSE(found.slow_links_between_nodes);
    EXPECT_NEAR(
        found.slow_links.value(),
        seconds(step_of_all_ranks(half, layout)) / seconds(step_of_all_ranks(undisturbed_machine(), layout)) - 1,
        1e-12);
}

}  // namespace
}  // namespace sim::predict
