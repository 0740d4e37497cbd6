// Experts on the GPU: the host's kernel launches for them, and the work that hides their dispatch.
#include "libsim/training/block_time.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/step/step_plan.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::training;

Transformer mixture() {
    return {.layers = 2,
            .hidden = 64,
            .ffn = 256,
            .heads = 2,
            .kv_heads = 2,
            .head_dim = 32,
            .vocabulary = 1024,
            .sequence = 64,
            .biases = false,
            .experts = {.count = 16, .top_k = 2, .ffn = 64}};
}

Layout spread_over_8() {
    Layout layout{.parallelism = {.dp = 8, .ep = 8}, .batch = {.micro = 1, .global = 8}};
    layout.framework.flash_version = 3;
    return layout;
}

BlockTime layer_time(const Transformer& model, const Layout& layout, Machine machine) {
    return BlockTimes(model, machine, layout, block_groups(layout, machine)).of_layer(0);
}

// The host takes one second per kernel, so that nothing else matters.
Machine slow_host() {
    Machine machine = training::machine("dgx-b200");
    machine.gpu.efficiency.kernel_floor = 1;
    return machine;
}

double forward_launches(const Layout& layout) {
    return std::chrono::duration<double>(layer_time(mixture(), layout, slow_host()).forward.total()).count();
}

// Two experts on a rank: five launches per expert and product, for two products, instead of one per product.
TEST(ExpertLaunches, AreFiveForEachExpertWhereTheirProductsAreNotOneKernel) {
    Layout layout = spread_over_8();
    const double grouped = forward_launches(layout);
    layout.framework.grouped_experts = false;
    EXPECT_DOUBLE_EQ(forward_launches(layout) - grouped, 2 * 2 * 5 - 2);
}

// Quantising an input takes one more kernel: for query, key and value; the projection; both products of the experts.
// The router is not quantised.
TEST(ExpertLaunches, AreOneMoreForEachInputThatIsQuantised) {
    Layout layout = spread_over_8();
    const double plain = forward_launches(layout);
    layout.numerics.precision = Precision::mxfp8;
    EXPECT_DOUBLE_EQ(forward_launches(layout) - plain, 4);
}

TEST(ExpertLaunches, OfAPartialGraphAreThoseThatWaitForRouting) {
    Layout layout = spread_over_8();
    layout.framework.cuda_graphs = CudaGraphs::partial;
    // Permutation (2), dispatch, up, activation, down, combine, unpermutation (2).
    EXPECT_DOUBLE_EQ(forward_launches(layout), 9);
    layout.framework.cuda_graphs = CudaGraphs::full;
    EXPECT_LT(forward_launches(layout), 1e-2);
}

// A partial graph contains everything that a dense model computes.
TEST(ExpertLaunches, OfADenseModelInAPartialGraphAreNone) {
    Transformer dense = mixture();
    dense.experts = {};
    Layout layout{.parallelism = {.dp = 8}, .batch = {.micro = 1, .global = 8}};
    layout.framework.cuda_graphs = CudaGraphs::partial;
    EXPECT_LT(layer_time(dense, layout, slow_host()).forward.total(), std::chrono::milliseconds(10));
}

// The part that is never hidden is the generation's tensor_exposed, as for other collectives behind computation.
TEST(Dispatch, HidesBehindTheComputationOfAnotherMicroBatch) {
    Transformer model = mixture();
    model.hidden = 4096;
    model.sequence = 4096;
    model.head_dim = 2048;
    model.experts.ffn = 4096;
    const Machine machine = training::machine("dgx-b200");
    Layout layout = spread_over_8();
    const Duration shown = layer_time(model, layout, machine).forward[TimeCategory::expert];
    layout.framework.overlap_experts = true;
    const Duration hidden = layer_time(model, layout, machine).forward[TimeCategory::expert];
    EXPECT_NEAR(static_cast<double>(hidden.count()),
                static_cast<double>(shown.count()) * machine.gpu.efficiency.tensor_exposed, 2);
}

// Links are a thousand times slower: the part beyond all computation stays exposed.
TEST(Dispatch, ThatIsLongerThanTheComputationIsHiddenByThatMuch) {
    Transformer model = mixture();
    model.hidden = 4096;
    model.sequence = 4096;
    Machine machine = training::machine("dgx-b200");
    machine.scale_up /= 1000;
    machine.derive_network();
    Layout layout = spread_over_8();
    layout.framework.cuda_graphs = CudaGraphs::full;
    const BlockTime shown = layer_time(model, layout, machine);
    layout.framework.overlap_experts = true;
    const BlockTime hidden = layer_time(model, layout, machine);
    const Duration dispatch = shown.forward[TimeCategory::expert] + shown.backward_input[TimeCategory::expert];
    const Duration less = dispatch - hidden.forward[TimeCategory::expert] - hidden.backward_input[TimeCategory::expert];
    EXPECT_GT(less, Duration{0});
    EXPECT_LT(less, shown.forward[TimeCategory::compute] + shown.backward_input[TimeCategory::compute] +
                        shown.backward_weight[TimeCategory::compute]);
}

}  // namespace
