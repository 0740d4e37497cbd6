// The exchanges of context parallelism beside the ring: all-to-all of heads, both, and all-gather.
#include "libsim/training/check_layout.hpp"
#include "libsim/training/memory.hpp"
#include "libsim/training/step/inner_collectives.hpp"
#include "tests/support/training_steps.hpp"

#include <cmath>

namespace sim::training {

using namespace test;

namespace {

Layout exchanging(ContextExchange exchange, int cp, int ulysses = 0) {
    return {.parallelism = {.dp = 16 / cp, .cp = cp},
            .batch = {.global = 16},
            .framework = {.context_exchange = exchange, .ulysses = ulysses}};
}

// 512 tokens over 4 ranks; queries, keys, values and results of 1024 values each, in 2 bytes.
constexpr double values_of_rank = 512 / 4 * 1024 * 2;

struct InsidePass {
    std::vector<StepCollective> collectives;
    std::vector<double> messages;
};
InsidePass inside_pass(const Layout& layout, StepWork work) {
    const StepPlan plan = plan_step(small_gpt(1), plain_machine(), layout);
    const InnerCollectives inner(plan);
    const GradientBucket& whole = plan.stages[0].chunks[0].whole;
    const Piece piece{.kind = PieceKind::compute, .work = work, .bucket = &whole};
    return {inner.of(piece), inner.exchanges_of(piece)};
}

Duration time_of_kernel(const Layout& layout, const std::string& name) {
    const Transformer model = small_gpt(1);
    const Machine machine = plain_machine();
    const BlockTimes times(model, machine, layout, block_groups(layout, machine));
    for (const KernelSpan& span : times.forward_kernels(0)) {
        if (span.name == name) {
            return span.time;
        }
    }
    return Duration{0};
}

Duration time_alone(CollectiveKind kind, double bytes, Footprint members) {
    const Machine machine = plain_machine();
    return duration_of_seconds(seconds(nccl_time(machine.network, kind, std::llround(bytes), members)) *
                               machine.gpu.efficiency.busy_collective);
}

std::string exchange_refused(const Layout& layout, const Transformer& model = small_gpt(1)) {
    std::string text;
    for (const LayoutProblem& problem : problems_of(model, plain_machine(), layout)) {
        text += problem.what;
    }
    return text;
}

}  // namespace

// DeepSpeed-Ulysses, section 3: 3 of 4 parts of queries, keys and values leave a rank, and of the results after them;
// the gradients return as many.
TEST(ExchangeOfHeads, SendsQueriesKeysAndValuesAndThenResults) {
    const Layout layout = exchanging(ContextExchange::a2a, 4);
    const StepCollective in{RankGroup::heads, CollectiveKind::all_to_all, 3 * values_of_rank};
    const StepCollective out{RankGroup::heads, CollectiveKind::all_to_all, values_of_rank};
    EXPECT_EQ(inside_pass(layout, StepWork::forward).collectives, (std::vector{in, out}));
    EXPECT_EQ(inside_pass(layout, StepWork::backward).collectives, (std::vector{out, in}));
    EXPECT_TRUE(inside_pass(layout, StepWork::forward).messages.empty());
    EXPECT_EQ(nccl_bytes_sent(in.kind, in.whole_bytes(), 4), std::llround(3 * values_of_rank * 3 / 4));
}

TEST(ExchangeOfHeads, TakesTheTimeOfItsCollectives) {
    const Layout layout = exchanging(ContextExchange::a2a, 4);
    EXPECT_EQ(time_of_kernel(layout, "all-to-all of queries, keys, values"),
              time_alone(CollectiveKind::all_to_all, 3 * values_of_rank, {4, 4}));
    EXPECT_EQ(time_of_kernel(layout, "all-to-all of results"),
              time_alone(CollectiveKind::all_to_all, values_of_rank, {4, 4}));
    EXPECT_EQ(time_of_kernel(layout, "keys and values"), Duration{0});
    EXPECT_EQ(time_of_kernel(layout, "merging of partial attention"), Duration{0});
}

// A quarter of the heads with four times the queries are as many blocks of queries, each with all keys before it.
TEST(ExchangeOfHeads, ComputesAttentionInOneKernel) {
    const Layout layout = exchanging(ContextExchange::a2a, 4);
    const Machine machine = plain_machine();
    const KernelTimes kernels(machine.gpu, layout);
    const double flops = 4 * 512.0 * 512 / 2 * 1024 / 4;
    EXPECT_EQ(time_of_kernel(layout, "flash attention"),
              duration_of_seconds(kernels.flash({flops, 16, 64, 512 / 2.0, false})));
    EXPECT_LT(time_of_kernel(layout, "flash attention"),
              time_of_kernel(exchanging(ContextExchange::p2p, 4), "flash attention"));
}

// Groups of 2 adjacent ranks exchange heads; between them, each rank's keys and values of half the heads go around.
TEST(ExchangeOfHeads, MayBeAmongSomeRanksWithARingBetweenThem) {
    const Layout layout = exchanging(ContextExchange::a2a_p2p, 4, 2);
    const StepCollective in{RankGroup::heads, CollectiveKind::all_to_all, 3 * values_of_rank};
    const StepCollective out{RankGroup::heads, CollectiveKind::all_to_all, values_of_rank};
    EXPECT_EQ(inside_pass(layout, StepWork::forward).collectives, (std::vector{in, out}));
    EXPECT_EQ(inside_pass(layout, StepWork::forward).messages, std::vector{2 * values_of_rank});
    EXPECT_EQ(inside_pass(layout, StepWork::backward).messages, std::vector{4 * values_of_rank});
    EXPECT_EQ(time_of_kernel(layout, "all-to-all of results"),
              time_alone(CollectiveKind::all_to_all, values_of_rank, {2, 2}));
    Layout wide = exchanging(ContextExchange::a2a_p2p, 8, 4);
    wide.parallelism.tp = 2;
    EXPECT_EQ(footprint_of(RankGroup::heads, wide, 8), (Footprint{.members = 4, .on_node = 4}));
    EXPECT_EQ(footprint_of(RankGroup::context, wide, 8), (Footprint{.members = 2, .on_node = 1}));
}

// Gathered before attention in both passes; the gradients of all of them are reduce-scattered.
TEST(GatherOfKeys, HasWholeKeysAndValues) {
    const Layout layout = exchanging(ContextExchange::all_gather, 4);
    const StepCollective gather{RankGroup::context, CollectiveKind::all_gather, 4 * 2 * values_of_rank};
    const StepCollective scatter{RankGroup::context, CollectiveKind::reduce_scatter, 4 * 2 * values_of_rank};
    EXPECT_EQ(inside_pass(layout, StepWork::forward).collectives, std::vector{gather});
    EXPECT_EQ(inside_pass(layout, StepWork::backward).collectives, (std::vector{gather, scatter}));
    EXPECT_EQ(time_of_kernel(layout, "keys and values"), time_alone(gather.kind, gather.bytes, {4, 4}));
}

TEST(ExchangeOfHeads, KeepsAsManyActivationsAsARing) {
    const std::int64_t ring = layer_activations(small_gpt(1), exchanging(ContextExchange::p2p, 4), 0);
    for (const ContextExchange exchange : {ContextExchange::a2a, ContextExchange::all_gather}) {
        EXPECT_EQ(layer_activations(small_gpt(1), exchanging(exchange, 4), 0), ring);
    }
}

TEST(ExchangeOfHeads, IsRefusedWhereRanksHaveNoWholeHeads) {
    Transformer grouped = small_gpt(1);
    grouped.kv_heads = 4;
    EXPECT_EQ(exchange_refused(exchanging(ContextExchange::a2a, 4), grouped), "");
    EXPECT_EQ(exchange_refused(exchanging(ContextExchange::a2a, 8), grouped),
              "cp-comm-type = a2a: cp = 8 does not divide a rank's 16 query heads and 4 key-value heads; 4 does");
    EXPECT_EQ(exchange_refused(exchanging(ContextExchange::a2a_p2p, 8, 4), grouped), "");
    EXPECT_EQ(exchange_refused(exchanging(ContextExchange::a2a_p2p, 8), grouped),
              "cp-comm-type = a2a+p2p: ulysses = 0 is no divisor of cp = 8 between 1 and cp; 2 does");
    EXPECT_EQ(exchange_refused(exchanging(ContextExchange::p2p, 8, 2)),
              "ulysses = 2 needs cp-comm-type = a2a+p2p, and it is p2p; ulysses = 0 does");
    Layout unfused = exchanging(ContextExchange::a2a, 4);
    unfused.framework.flash_attention = false;
    EXPECT_EQ(exchange_refused(unfused), "");
    unfused.framework.context_exchange = ContextExchange::p2p;
    EXPECT_EQ(exchange_refused(unfused), "cp = 4 needs flash attention");
}

}  // namespace sim::training
