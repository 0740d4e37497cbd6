// Published bubbles of pipeline schedules, in a training step with equal stages on a free network.
//
// F, B, W: forward, input-gradient and weight-gradient of a stage and micro-batch; p stages, m micro-batches, v chunks.
// Sources: Narayanan et al. 2021 (GPipe, 1F1B, interleaved), Qi et al. 2024 (zero bubble), table 1, DeepSeek-AI 2024
// (DualPipe), table 2.
#include "tests/support/training_steps.hpp"

namespace sim::training {

using namespace test;

namespace {

struct PipelineCase {
    const char* schedule;
    int p;
    int m;
    int v = 1;
};

constexpr Duration f{24'000'000};
constexpr Duration b{30'000'000};
constexpr Duration w{18'000'000};
// Durations in a pair, which hides its communication.
constexpr Duration paired_f{20'000'000};
constexpr Duration paired_b{40'000'000};

StepPlan equal_stages(const PipelineCase& c) {
    const Layout layout{.parallelism = {.pp = c.p, .schedule = pipeline_schedule(c.schedule), .interleave = c.v},
                        .batch = {.global = c.m},
                        .framework = {.overlap_gradients = false}};  // overlap would go bucket by bucket
    StepPlan plan = plan_step(small_gpt(c.p * c.v), plain_machine(), layout);
    for (StagePlan& stage : plan.stages) {
        stage.optimizer = {};
        for (ChunkPlan& chunk : stage.chunks) {
            chunk.whole.forward = chunk.whole.backward_input = chunk.whole.backward_weight = {};
            chunk.whole.forward[TimeCategory::compute] = f / c.v;
            chunk.whole.backward_input[TimeCategory::compute] = b / c.v;
            chunk.whole.backward_weight[TimeCategory::compute] = w / c.v;
            chunk.whole.paired_forward = chunk.whole.paired_backward = {};
            chunk.whole.paired_forward[TimeCategory::compute] = paired_f;
            chunk.whole.paired_backward[TimeCategory::compute] = paired_b;
        }
    }
    plan.step_overhead = plan.micro_batch_overhead = Duration{0};
    plan.embedding_bytes = 0;
    plan.synchronises = true;
    plan.steps = 1;
    return plan;
}

// Idle time of the last rank; it is the same for every rank, because all work alike.
Duration idle(const PipelineCase& c) {
    const StepPlan plan = equal_stages(c);
    const RankMap places(plan.layout, false);
    Cluster cluster = step_cluster(plan, places);
    cluster.network = uniform({}).network;
    const replay::Replay result = run_step(plan, cluster, places);
    for (const RankTotals& rank : result.ranks) {
        EXPECT_EQ(rank.compute, c.m * (f + b + w));
    }
    return result.end - Time{} - c.m * (f + b + w);
}

}  // namespace

TEST(Bubble, OfGPipeAndOneForwardOneBackwardIsThatOfAllOtherStages) {
    for (const char* schedule : {"gpipe", "1f1b"}) {
        for (const auto& [p, m] : {std::pair{2, 2}, {4, 4}, {4, 32}, {8, 24}, {16, 3}}) {
            const Duration bubble = idle({schedule, p, m});
            EXPECT_EQ(bubble, (p - 1) * (f + b + w)) << schedule << " " << p << " " << m;
            // The share (p - 1) / (m + p - 1), without a division.
            EXPECT_EQ(bubble * (m + p - 1), (p - 1) * (bubble + m * (f + b + w)));
        }
    }
}

TEST(Bubble, OfInterleavedStagesIsDividedByTheChunks) {
    for (const int v : {2, 3, 6}) {
        for (const auto& [p, m] : {std::pair{2, 4}, {4, 8}, {8, 16}, {2, 5}, {4, 6}, {4, 11}, {8, 15}}) {
            EXPECT_EQ(idle({"interleaved", p, m, v}), (p - 1) * (f + b + w) / v) << p << " " << m << " " << v;
        }
    }
}

TEST(Bubble, OfZeroBubbleH1IsFilledWithWeightGradients) {
    for (const auto& [p, m] : {std::pair{2, 4}, {4, 8}, {4, 32}, {8, 24}}) {
        EXPECT_EQ(idle({"zb_h1", p, m}), (p - 1) * (f + b - w)) << p << " " << m;
    }
}

// Steps overlap if nothing waits for all stages: each step takes a stage no longer than its work.
TEST(Bubble, OfZeroBubbleH2IsNoneOnceStepsFollowEachOther) {
    for (const auto& [p, m] : {std::pair{2, 4}, {4, 8}, {8, 24}}) {
        const auto end = [&, p = p, m = m](int steps) {
            StepPlan plan = equal_stages({"zb_h2", p, m});
            for (StagePlan& stage : plan.stages) {
                GradientBucket& whole = stage.chunks[0].whole;
                whole.forward[TimeCategory::compute] = whole.backward_input[TimeCategory::compute] =
                    whole.backward_weight[TimeCategory::compute] = f;
            }
            plan.synchronises = false;
            plan.steps = steps;
            const RankMap places(plan.layout, false);
            Cluster cluster = step_cluster(plan, places);
            cluster.network = uniform({}).network;
            return run_step(plan, cluster, places).end;
        };
        EXPECT_EQ(end(2) - end(1), m * 3 * f) << p << " " << m;
        EXPECT_EQ(end(3) - end(2), m * 3 * f) << p << " " << m;
    }
}

// F&B is a pair, which is shorter than its two passes alone: (p / 2 - 1)(F&B + B + W - 3 W), where F = B.
TEST(Bubble, OfDualPipeIsThatOfItsReport) {
    for (const auto& [p, m] : {std::pair{2, 4}, {4, 8}, {4, 32}, {8, 24}}) {
        StepPlan plan = equal_stages({"dualpipe", p, m});
        for (StagePlan& stage : plan.stages) {
            for (ChunkPlan& chunk : stage.chunks) {
                chunk.whole.backward_input[TimeCategory::compute] = f;
            }
        }
        const RankMap places(plan.layout, false);
        Cluster cluster = step_cluster(plan, places);
        cluster.network = uniform({}).network;
        const replay::Replay result = run_step(plan, cluster, places);
        const Duration busy = result.ranks[static_cast<std::size_t>(p / 2)].compute;
        EXPECT_EQ(result.end - Time{} - busy, (p / 2 - 1) * (paired_f + paired_b + f + w - 3 * w)) << p << " " << m;
    }
}

// The last stage's output layer adds x to each weight gradient. If deferred, these all fit into the time in which the
// last stage waits for the others: (p - 1)(B + W).
TEST(Bubble, TakesTheOutputLayersPutOffGradients) {
    constexpr Duration x{6'000'000};
    for (const auto& [p, m] : {std::pair{2, 4}, {4, 8}, {8, 24}}) {
        const auto end = [&, p = p, m = m](int deferred) {
            StepPlan plan = equal_stages({"1f1b", p, m});
            plan.layout.framework.deferred_output_wgrads = deferred;
            GradientBucket& last = plan.stages.back().chunks.front().whole;
            last.backward_weight[TimeCategory::compute] = w + x;
            last.output_weight = {};
            last.output_weight[TimeCategory::compute] = x;
            const RankMap places(plan.layout, false);
            Cluster cluster = step_cluster(plan, places);
            cluster.network = uniform({}).network;
            return run_step(plan, cluster, places).end - Time{};
        };
        EXPECT_EQ(end(0), (m + p - 1) * (f + b + w) + m * x) << p << " " << m;
        EXPECT_EQ(end(m), (m + p - 1) * (f + b + w)) << p << " " << m;
        EXPECT_EQ(end(m - 1), (m + p - 1) * (f + b + w) + x) << p << " " << m;
    }
}

}  // namespace sim::training
