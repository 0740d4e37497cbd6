// ZeRO over a part of the replicas (HSDP): its groups, bytes, memory and time.
#include "libsim/training/check_layout.hpp"
#include "libsim/training/memory.hpp"
#include "tests/support/training_steps.hpp"

namespace sim::training {

using namespace test;

namespace {

// 16 ranks, two nodes; a shard group is a node.
Layout with_copies(int zero) {
    return {.parallelism = {.dp = 16, .zero = zero, .shard = 8}, .batch = {.global = 16}};
}

Duration time_over(CollectiveKind kind, double bytes, Footprint members) {
    return nccl_time(plain_machine().network, kind, static_cast<std::int64_t>(bytes), members);
}

std::string shards_refused(const Layout& layout, const Transformer& model = small_gpt(8)) {
    std::string text;
    for (const LayoutProblem& problem : problems_of(model, plain_machine(), layout)) {
        text += problem.what;
    }
    return text;
}

// Collectives that run in a step, in order.
std::vector<StepCollective> reductions_in(const Pieces& pieces) {
    std::vector<StepCollective> all;
    for (const Piece& piece : pieces) {
        for (const StepCollective& one : piece.collectives) {
            if (one.exists() && piece.work == StepWork::reduce_scatter_gradients) {
                all.push_back(one);
            }
        }
    }
    return all;
}

}  // namespace

// dp 4 x cp 2 x tp 2: rank 5 is the third of its 8 replicas 1, 3, 5 …; shards are over 4 adjacent ones.
TEST(ShardedCopies, HaveShardsOfAdjacentReplicas) {
    const Layout layout{.parallelism = {.dp = 4, .tp = 2, .cp = 2, .ep = 4, .zero = 3, .shard = 4},
                        .batch = {.global = 4}};
    const RankMap all(layout, false);
    EXPECT_EQ(all.group(RankGroup::shards, 5).ranks(), (std::vector{1, 3, 5, 7}));
    EXPECT_EQ(all.group(RankGroup::shards, 15).ranks(), (std::vector{9, 11, 13, 15}));
    EXPECT_EQ(all.group(RankGroup::shard_copies, 5).ranks(), (std::vector{5, 13}));
    // Experts are on 4 adjacent ranks, so that 2 of the 8 ranks of a group have the same ones.
    EXPECT_EQ(all.group(RankGroup::expert_shards, 5).ranks(), (std::vector{1, 5}));
    EXPECT_EQ(all.group(RankGroup::expert_shard_copies, 5).ranks(), (std::vector{5, 13}));
    EXPECT_EQ(footprint_of(RankGroup::shards, layout, 8), (Footprint{.members = 4, .on_node = 4}));
    EXPECT_EQ(footprint_of(RankGroup::shard_copies, layout, 8), (Footprint{.members = 2, .on_node = 1}));
}

// ZeRO's table 1 with N = 8 instead of 16: 2 + 4 + 12 bytes with optimizer states sharded; FSDP's 4 + 4 + 8 sharded.
TEST(ShardedCopies, TakeTheMemoryOfAShardGroup) {
    EXPECT_EQ(state_bytes(with_copies(1), with_copies(1).shards()).total(), 2 + 4 + 12 / 8.0);
    EXPECT_EQ(state_bytes(with_copies(3), with_copies(3).shards()).total(), 16 / 8.0);
    for (const int zero : {1, 2, 3}) {
        const Layout group{.parallelism = {.dp = 8, .zero = zero}, .batch = {.global = 8}};
        const MemoryUse of_group = memory_of(small_gpt(8), plain_machine(), group).stages[0].peak;
        const MemoryUse of_copies = memory_of(small_gpt(8), plain_machine(), with_copies(zero)).stages[0].peak;
        EXPECT_EQ(of_copies.allocated(), of_group.allocated());
        EXPECT_EQ(of_copies.context - of_group.context, 300 << 20);  // one more kind of group
    }
}

// 4 bytes per gradient are reduce-scattered over the 8 ranks of a node; an eighth of them is all-reduced over 2 nodes.
TEST(ShardedCopies, AreSummedOverEachOtherAfterTheirGroup) {
    const StepPlan plan = plan_step(small_gpt(8), plain_machine(), with_copies(1));
    const double all = 4.0 * static_cast<double>(plan.stages[0].parameters());
    Layout after = with_copies(1);
    after.framework.overlap_gradients = false;
    const StepPlan waiting = plan_step(small_gpt(8), plain_machine(), after);
    EXPECT_EQ(reductions_in(stage_step(waiting, 0).after),
              (std::vector<StepCollective>{{RankGroup::shards, CollectiveKind::reduce_scatter, all},
                                           {RankGroup::shard_copies, CollectiveKind::all_reduce, all / 8}}));
    EXPECT_EQ(footprint_of(RankGroup::shards, after, 8), (Footprint{.members = 8, .on_node = 8}));
    EXPECT_EQ(footprint_of(RankGroup::shard_copies, after, 8), (Footprint{.members = 2, .on_node = 1}));
}

// 8 layers, and 2 micro-batches. PyTorch sums a gradient over the copies whenever it reduces it; MiCS and
// Megatron-FSDP only for the last micro-batch.
TEST(ShardedCopies, AreSummedOverEachOtherOnceAStepExceptInPyTorch) {
    const auto copies = [](TrainingLoop loop, PassKind kind) {
        Layout layout = with_copies(3);
        layout.batch.global = 32;
        layout.framework.loop = loop;
        const StepPlan plan = plan_step(small_gpt(8), plain_machine(), layout);
        const auto all = reductions_in(stage_step(plan, 0).chunks[0].of(kind));
        return std::count_if(all.begin(), all.end(),
                             [](const StepCollective& one) { return one.group == RankGroup::shard_copies; });
    };
    EXPECT_EQ(copies(TrainingLoop::torch, PassKind::backward), 8);
    EXPECT_EQ(copies(TrainingLoop::torch, PassKind::last_backward), 8);
    for (const TrainingLoop loop : {TrainingLoop::megatron, TrainingLoop::deepspeed}) {
        EXPECT_EQ(copies(loop, PassKind::backward), 0);
        EXPECT_EQ(copies(loop, PassKind::last_backward), 8);
    }
}

// Without overlap, a step is the sum of its parts: gathers within a node, the passes, both parts of the reduction, the
// norm over all 16 ranks, and the update of an eighth.
TEST(ShardedCopies, MakeAStepOfTheSumOfItsParts) {
    Layout layout = with_copies(1);
    layout.framework.overlap_gradients = layout.framework.overlap_parameters = false;
    const StepPlan plan = plan_step(small_gpt(8), plain_machine(), layout);
    const ChunkPlan& chunk = plan.stages[0].chunks[0];
    Duration sum = plan.step_overhead + plan.micro_batch_overhead;
    for (const GradientBucket& bucket : chunk.buckets) {
        sum += time_over(CollectiveKind::all_gather, 2.0 * static_cast<double>(bucket.dense_parameters), {8, 8});
    }
    sum += chunk.whole.forward.total() + chunk.whole.backward().total();
    const double gradients = 4.0 * static_cast<double>(chunk.whole.dense_parameters);
    sum += time_over(CollectiveKind::reduce_scatter, gradients, {8, 8});
    sum += time_over(CollectiveKind::all_reduce, gradients / 8, {2, 1});
    sum += time_over(CollectiveKind::all_reduce, 4, {16, 8}) + plan.stages[0].optimizer.total();
    EXPECT_EQ(run_step(plan, true).end - Time{}, sum);
    const Layout group{.parallelism = {.dp = 8, .zero = 1}, .batch = {.global = 8}};
    EXPECT_EQ(plan.stages[0].optimizer.total(),
              plan_step(small_gpt(8), plain_machine(), group).stages[0].optimizer.total());
}

TEST(ShardedCopies, OfAllReplicasAreOrdinaryZero) {
    Layout all = with_copies(3);
    all.parallelism.shard = 16;
    Layout none = with_copies(3);
    none.parallelism.shard = 0;
    EXPECT_EQ(run_step(plan_step(small_gpt(8), plain_machine(), all), true).end,
              run_step(plan_step(small_gpt(8), plain_machine(), none), true).end);
}

TEST(ShardedCopies, AreRefusedWhereShardsDoNotDivide) {
    EXPECT_EQ(shards_refused(with_copies(3)), "");
    EXPECT_EQ(shards_refused(with_copies(0)), "shard = 8 with zero = 0, which shards nothing; zero = 1, 2 or 3 does");
    Layout odd = with_copies(3);
    odd.parallelism.shard = 6;
    EXPECT_EQ(shards_refused(odd), "shard = 6 does not divide dp x cp = 16 ranks; 4 and 8 do");
    Layout experts = with_copies(3);
    experts.parallelism.ep = 8;
    experts.parallelism.shard = 4;
    EXPECT_EQ(shards_refused(experts, small_moe(8)),
              "shard = 4 x tp 1 are not whole groups of ep 8 x expert_tp 1 ranks; 8 does");
}

}  // namespace sim::training
