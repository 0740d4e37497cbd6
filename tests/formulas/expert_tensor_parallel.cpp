// Tensor parallelism of experts that differs from that of attention: the groups, the bytes and the times.
#include "libsim/training/memory.hpp"
#include "libsim/training/parameters.hpp"
#include "tests/support/training_steps.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace sim::training {

using namespace test;

namespace {

// For one layer on 16 GPUs, two nodes. A rank has 512 / tp tokens of width 1024 in 2 bytes, each routed to 2 experts.
Layout of_ranks(int tp, int ep, int expert_tp) {
    return {.parallelism = {.dp = 16 / tp, .tp = tp, .ep = ep, .expert_tp = expert_tp, .sequence_parallel = tp > 1},
            .batch = {.global = 16 / tp}};
}

struct Spans {
    explicit Spans(const Layout& layout, const Transformer& model = small_moe(1)) {
        const BlockTimes times(model, machine, layout, block_groups(layout, machine));
        forward = times.forward_kernels(0);
        backward = times.backward_kernels(0);
    }
    static Duration time(const std::vector<KernelSpan>& spans, const std::string& name) {
        Duration sum{0};
        for (const KernelSpan& span : spans) {
            sum += span.name == name ? span.time : Duration{0};
        }
        return sum;
    }
    // The time of a collective over `members`, `on_node` of them on each node.
    Duration collective(CollectiveKind kind, double bytes, int members, int on_node) const {
        return duration_of_seconds(seconds(nccl_time(machine.network, kind, std::llround(bytes), {members, on_node})) *
                                   machine.gpu.efficiency.busy_collective);
    }

    Machine machine = plain_machine();
    std::vector<KernelSpan> forward;
    std::vector<KernelSpan> backward;
};

constexpr double rows_of_512 = 512 * 2 * 1024 * 2;  // bytes that a rank without tensor parallelism sends

}  // namespace

// Both ranks of an expert are adjacent on a node; the 8 expert-parallel shares span both nodes.
TEST(ExpertTensorParallel, GathersOverTheRanksOfAnExpertAndNotOverThoseOfAllExperts) {
    const Spans spans(of_ranks(1, 8, 2));
    const Duration gather = spans.collective(CollectiveKind::all_gather, 2 * rows_of_512, 2, 2);
    const Duration scatter = spans.collective(CollectiveKind::reduce_scatter, 2 * rows_of_512, 2, 2);
    EXPECT_EQ(Spans::time(spans.forward, "all-gather of experts' tokens"), gather);
    EXPECT_EQ(Spans::time(spans.forward, "reduce-scatter of experts' results"), scatter);
    EXPECT_EQ(Spans::time(spans.backward, "all-gather of experts' tokens"), scatter);
    EXPECT_EQ(Spans::time(spans.backward, "reduce-scatter of experts' results"), gather);
    EXPECT_NE(gather, spans.collective(CollectiveKind::all_to_all, 2 * rows_of_512, 8, 4));
}

TEST(ExpertTensorParallel, MayBeWiderThanThatOfAttention) {
    const Spans spans(of_ranks(2, 2, 8));  // 256 tokens per rank, 8 ranks of an expert on one node
    EXPECT_EQ(Spans::time(spans.forward, "all-gather of experts' tokens"),
              spans.collective(CollectiveKind::all_gather, 8 * rows_of_512 / 2, 8, 8));
}

TEST(ExpertTensorParallel, MayBeNarrowerThanThatOfAttention) {
    const Spans spans(of_ranks(8, 4, 2));  // 64 tokens per rank
    EXPECT_EQ(Spans::time(spans.forward, "all-gather of experts' tokens"),
              spans.collective(CollectiveKind::all_gather, 2 * rows_of_512 / 8, 2, 2));
    const Spans none(of_ranks(8, 8, 1));
    EXPECT_EQ(Spans::time(none.forward, "all-gather of experts' tokens"), Duration{0});
}

// 128 of 512 tokens for each of 4 ranks, as with sequence parallelism; the forward pass gathers all of them, the
// backward pass their gradients.
TEST(ExpertParallel, WithoutSequenceParallelismTakesItsPartOfTheTokens) {
    Layout layout = of_ranks(4, 4, 1);
    layout.parallelism.sequence_parallel = false;
    const auto operators = layer_operators(small_moe(1), layout, 0);
    const auto of = [&](const std::string& name) {
        return *std::find_if(operators.begin(), operators.end(), [&](const Operator& op) { return op.name == name; });
    };
    EXPECT_EQ(of("router").gemm.m, 128);
    EXPECT_EQ(of("dispatch").forward_bytes, rows_of_512 / 4);
    EXPECT_EQ(of("all-gather of tokens").forward_bytes, 512 * 1024 * 2);
    EXPECT_EQ(of("all-gather of tokens").backward_collective, std::nullopt);
    EXPECT_EQ(of("all-gather of tokens' gradients").backward_collective, CollectiveKind::all_gather);
    EXPECT_EQ(of("all-gather of tokens' gradients").forward_collective, std::nullopt);
    // Memory: routed tokens and router scores cover the rank's part only; activations between parallel regions are
    // complete.
    const Layout parallel = of_ranks(4, 4, 1);
    const std::int64_t between = 4LL * 2 * 1024 * (512 - 128);
    EXPECT_EQ(layer_activations(small_moe(1), layout, 0) - layer_activations(small_moe(1), parallel, 0), between);
}

// 3 x 1024 x 2048 each: 8 experts over ep x expert_tp; a shared expert of the same width over tp.
TEST(ExpertTensorParallel, SpreadsRoutedExpertsAloneAndSharedOnesAsTheRest) {
    Transformer model = small_moe(1);
    model.experts.shared = 1;
    const std::int64_t expert = std::int64_t{3} * 1024 * 2048;
    for (const auto& [tp, ep, expert_tp] : {std::array{4, 2, 2}, std::array{2, 2, 4}, std::array{4, 4, 1}}) {
        const Layout layout = of_ranks(tp, ep, expert_tp);
        const StepPlan plan = plan_step(model, plain_machine(), layout);
        const GradientBucket& whole = plan.stages[0].chunks[0].whole;
        EXPECT_EQ(whole.expert_parameters, 8 * expert / (ep * expert_tp));
        EXPECT_EQ(layer_parameters(model, 0).shared_experts, expert);
        EXPECT_EQ(layout.expert_replicas(), 16 / (ep * expert_tp));
    }
}

// The number of expert matrix multiplications does not depend on how an expert is split: each rank computes top_k of
// its tokens.
TEST(ExpertTensorParallel, LeavesTheProductsOfARankAsManyAsTheyWere) {
    const auto flops = [](int ep, int expert_tp) {
        double sum = 0;
        for (const Operator& op : layer_operators(small_moe(1), of_ranks(2, ep, expert_tp), 0)) {
            sum += op.kind == OperatorKind::grouped_gemm ? op.forward_flops : 0;
        }
        return sum;
    };
    EXPECT_EQ(flops(8, 1), 256.0 * 2 * 3 * 2 * 1024 * 2048);
    EXPECT_EQ(flops(4, 2), flops(8, 1));
    EXPECT_EQ(flops(2, 8), flops(8, 1));
}

}  // namespace sim::training
