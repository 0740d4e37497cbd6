// Sums that a prediction's parts add up to, and the totals that its shares refer to.
#include "libsim/predict/predict.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/presets.hpp"

#include "libsim/training/step/estimate.hpp"
#include "tests/support/training_steps.hpp"

#include <numeric>

namespace sim::training {

using namespace predict;
using namespace test;

namespace {

const std::vector<std::pair<const char*, Layout>>& layouts() {
    static const std::vector<std::pair<const char*, Layout>> all{
        {"one", {.batch = {.global = 4}}},
        {"data", {.parallelism = {.dp = 8}, .batch = {.global = 32}}},
        {"data, late", {.parallelism = {.dp = 8}, .batch = {.global = 32}, .framework = {.overlap_gradients = false}}},
        {"zero 1", {.parallelism = {.dp = 8, .zero = 1}, .batch = {.global = 32}}},
        {"zero 1, late",
         {.parallelism = {.dp = 8, .zero = 1}, .batch = {.global = 32}, .framework = {.overlap_parameters = false}}},
        {"sharded", {.parallelism = {.dp = 16, .zero = 3}, .batch = {.global = 64}}},
        {"DeepSpeed",
         {.parallelism = {.dp = 16, .zero = 3},
          .batch = {.global = 64},
          .framework = {.loop = TrainingLoop::deepspeed}}},
        {"sharded in lists",
         {.parallelism = {.dp = 8, .zero = 3},
          .batch = {.global = 32},
          .framework = {.overlap_gradients = false, .overlap_parameters = false, .per_rank_tensors = true}}},
        {"unfused sums",
         {.parallelism = {.dp = 4}, .batch = {.global = 32}, .framework = {.fused_accumulation = false}}},
        {"sums of DeepSpeed",
         {.parallelism = {.dp = 4, .pp = 2, .zero = 1},
          .batch = {.global = 32},
          .framework = {.loop = TrainingLoop::deepspeed}}},
        {"offloaded",
         {.parallelism = {.dp = 8, .zero = 3}, .batch = {.global = 32}, .framework = {.offloaded_layers = 4}}},
        {"tensor", {.parallelism = {.tp = 8, .sequence_parallel = true}, .batch = {.global = 4}}},
        {"context", {.parallelism = {.cp = 4}, .batch = {.global = 4}}},
        {"mixed", {.parallelism = {.dp = 4, .tp = 4, .pp = 4, .zero = 1}, .batch = {.global = 32}}},
        {"zero 2", {.parallelism = {.dp = 8, .zero = 2}, .batch = {.global = 32}}},
        {"mixed, zero 2", {.parallelism = {.dp = 4, .tp = 2, .pp = 4, .zero = 2}, .batch = {.global = 32}}},
        {"mixed, zero 2, each time, late",
         {.parallelism = {.dp = 4, .tp = 2, .pp = 4, .zero = 2},
          .batch = {.global = 32},
          .framework = {.overlap_gradients = false, .reduce_each_micro_batch = true}}},
        {"mixed, sharded", {.parallelism = {.dp = 4, .tp = 2, .pp = 4, .zero = 3}, .batch = {.global = 32}}},
        {"blocking",
         {.parallelism = {.dp = 2, .tp = 2, .pp = 4},
          .batch = {.global = 32},
          .framework = {.overlap_pipeline = false}}},
        {"gpipe",
         {.parallelism = {.dp = 2, .pp = 8, .schedule = pipeline_schedule("gpipe")},
          .batch = {.global = 32},
          .framework = {.recompute = Recompute::full}}},
        {"interleaved",
         {.parallelism = {.dp = 2, .pp = 4, .schedule = pipeline_schedule("interleaved"), .interleave = 2},
          .batch = {.global = 32}}},
        {"zb_h1", {.parallelism = {.dp = 2, .pp = 8, .schedule = pipeline_schedule("zb_h1")}, .batch = {.global = 32}}},
        {"zb_h2", {.parallelism = {.dp = 2, .pp = 8, .schedule = pipeline_schedule("zb_h2")}, .batch = {.global = 32}}},
        {"zb_h2, zero 1",
         {.parallelism = {.dp = 2, .pp = 4, .schedule = pipeline_schedule("zb_h2"), .zero = 1},
          .batch = {.global = 64}}},
        {"dualpipe",
         {.parallelism = {.dp = 2, .pp = 8, .schedule = pipeline_schedule("dualpipe")}, .batch = {.global = 32}}},
        {"zb_h2, few", {.parallelism = {.pp = 8, .schedule = pipeline_schedule("zb_h2")}, .batch = {.global = 4}}},
    };
    return all;
}

double sum_of(const Budget& budget) {
    return std::accumulate(budget.begin(), budget.end(), 0.0);
}

// GPT with full attention and matrix products only, as the published formulas count.
struct Gpt {
    double batch, sequence, layers, hidden, vocabulary;
    double attention() const { return sequence / (6 * hidden); }
    // Korthikanti et al. 2022: model FLOPs.
    double model() const {
        return 72 * batch * sequence * layers * hidden * hidden *
               (1 + attention() + vocabulary / (12 * layers * hidden));
    }
    // Narayanan et al. 2021: hardware FLOPs with full recomputation.
    double hardware() const {
        return 96 * batch * sequence * layers * hidden * hidden *
               (1 + attention() + vocabulary / (16 * layers * hidden));
    }
};

}  // namespace

// 16 ranks on two nodes: of the 16 pieces that a rank sends, 8 leave its node through its own NIC.
TEST(Communication, OfExpertsIsMeasuredByARanksOwnLink) {
    Transformer model = preset("mixtral-8x7b");
    model.experts.count = 16;
    model.sequence = 4096;
    const Machine h100 = machine("dgx-h100");
    const Prediction step =
        predict_step(model, h100, {.parallelism = {.dp = 16, .ep = 16}, .batch = {.micro = 1, .global = 16}});
    const CommunicationUse& use = step.communication.front();
    ASSERT_EQ(use.what, "all-to-all of tokens");
    EXPECT_DOUBLE_EQ(use.link_share, use.bus_bandwidth / (h100.scale_out * 15 / 8));
    EXPECT_LT(use.link_share, 1);
}

TEST(TimeBudget, OfEveryStageSumsUpToTheStepAndHasNoNegativePart) {
    for (const auto& [name, layout] : layouts()) {
        for (const bool unfold : {false, true}) {
            const Prediction p = predict_step(small_gpt(), plain_machine(), layout, {.unfold = unfold});
            ASSERT_EQ(p.stage_budgets.size(), static_cast<std::size_t>(layout.parallelism.pp));
            for (const Budget& stage : p.stage_budgets) {
                EXPECT_NEAR(sum_of(stage), seconds(p.step), 1e-9 * seconds(p.step)) << name;
                for (std::size_t kind = 0; kind < time_categories; ++kind) {
                    EXPECT_GE(stage[kind], 0) << name << ": " << name_of(static_cast<TimeCategory>(kind));
                }
            }
            EXPECT_NEAR(sum_of(p.budget), seconds(p.step), 1e-9 * seconds(p.step)) << name;
        }
    }
}

TEST(TimeBudget, IsTheSameOfAllRanksAndOfOneRankAStage) {
    for (const auto& [name, layout] : layouts()) {
        const Prediction few = predict_step(small_gpt(), plain_machine(), layout);
        const Prediction all = predict_step(small_gpt(), plain_machine(), layout, {.unfold = true});
        EXPECT_EQ(few.step, all.step) << name;
        for (std::size_t kind = 0; kind < time_categories; ++kind) {
            EXPECT_NEAR(few.budget[kind], all.budget[kind], 1e-9 * seconds(few.step))
                << name << ": " << name_of(static_cast<TimeCategory>(kind));
        }
    }
}

// The list matches the collectives of the middle stage's rank in number and size.
TEST(Communication, IsListedAsItIsSimulated) {
    std::vector<Layout> some{
        {.parallelism = {.dp = 16, .zero = 3}, .batch = {.global = 64}, .framework = {.gathers_per_layer = 4}},
        {.parallelism = {.dp = 16, .zero = 3}, .batch = {.global = 64}, .framework = {.reshard_after_forward = false}},
        {.parallelism = {.dp = 16, .zero = 3},
         .batch = {.global = 64},
         .framework = {.loop = TrainingLoop::deepspeed, .recompute = Recompute::full}}};
    for (const auto& [name, layout] : layouts()) {
        some.push_back(layout);
    }
    for (const Layout& layout : some) {
        std::int64_t gathers = 0;
        std::int64_t reductions = 0;
        std::int64_t bytes = 0;
        const Prediction p =
            predict_step(small_gpt(), plain_machine(), layout, {.on_span = [&](const Span& span) {
                             const bool gather = *span.label == "all-gather of parameters";
                             if (span.rank == layout.parallelism.pp / 2 && span.kind == OpKind::collective &&
                                 (gather || span.label->ends_with("of gradients"))) {
                                 (gather ? gathers : reductions) += 1;
                                 bytes += span.amount;
                             }
                         }});
        const int steps = layout.parallelism.schedule->steps_overlap ? 2 : 1;  // two steps, to overlap
        for (const CommunicationUse& use : p.communication) {
            if (use.group == TimeCategory::data && !use.what.ends_with("embedding's gradient")) {
                (use.what == "all-gather of parameters" ? gathers : reductions) -= steps * use.count;
                bytes -= steps * use.count * use.bytes;
            }
        }
        EXPECT_EQ(gathers, 0) << layout.parallelism.schedule->name << " zero " << layout.parallelism.zero;
        EXPECT_EQ(reductions, 0) << layout.parallelism.schedule->name << " zero " << layout.parallelism.zero;
        EXPECT_EQ(bytes, 0) << layout.parallelism.schedule->name << " zero " << layout.parallelism.zero;
    }
}

// A search prunes with this bound.
TEST(EstimatedStep, IsNeverLongerThanTheStep) {
    std::vector<std::pair<std::string, Layout>> some;
    for (const auto& [name, base] : layouts()) {
        if (base.parallelism.schedule->splits_backward) {
            continue;
        }
        for (const int batches : {1, 4}) {
            for (const Recompute recompute : {Recompute::none, Recompute::full}) {
                Layout layout = base;
                layout.batch.global *= batches;
                layout.framework.recompute = recompute;
                layout.framework.offloaded_layers *= recompute == Recompute::none ? 1 : 0;  // full keeps none
                some.emplace_back(name, layout);
            }
        }
    }
    Machine slow = plain_machine();
    slow.scale_out /= 20;
    slow.scale_up /= 20;
    slow.derive_network();
    Machine busy = plain_machine();  // its host has much to do before each micro-batch
    busy.gpu.efficiency.micro_batch_overhead = 0.05;
    Transformer wide = small_gpt(40);  // the last stage has far more to do
    wide.vocabulary = 131'072;
    for (const auto& [name, layout] : some) {
        for (const Machine& machine : {plain_machine(), slow, busy}) {
            for (const Transformer& model : {small_gpt(8), small_gpt(40), wide}) {
                const Duration bound = estimated_step(plan_step(model, machine, layout));
                const Duration step = predict_step(model, machine, layout, {.details = false}).step;
                EXPECT_LE(bound, step) << name << ", " << model.layers << " layers, " << model.vocabulary;
            }
        }
    }
}

// Stages as uneven as possible, some of them without layers.
TEST(EstimatedStep, OfListedLayersIsNeverLongerThanTheStep) {
    for (const int chunks : {1, 2}) {
        for (std::vector<int> layers : {std::vector{8, 0, 0, 0, 0, 0, 0, 0}, std::vector{0, 0, 0, 0, 0, 0, 0, 8},
                                        std::vector{0, 3, 0, 1, 4, 0, 0, 0}, std::vector{0, 1, 1, 2, 2, 1, 1, 0}}) {
            for (const int micro_batches : {4, 8, 32}) {
                Layout layout{.parallelism = {.dp = 2,
                                              .pp = 8 / chunks,
                                              .schedule = usual_pipeline_schedule(chunks),
                                              .interleave = chunks,
                                              .split = {.layers = layers}},
                              .batch = {.global = 2 * std::max(8 / chunks, micro_batches)}};
                for (const int zero : {0, 1, 3}) {
                    layout.parallelism.zero = zero;
                    const Duration bound = estimated_step(plan_step(small_gpt(8), plain_machine(), layout));
                    const Prediction step = predict_step(small_gpt(8), plain_machine(), layout, {.details = false});
                    EXPECT_LE(bound, step.step) << chunks << " " << layers[0] << " " << micro_batches << " " << zero;
                }
            }
        }
    }
}

TEST(Prediction, DoesNotDependOnWhetherDetailsAreAsked) {
    for (const auto& [name, layout] : layouts()) {
        const Prediction full = predict_step(small_gpt(), plain_machine(), layout);
        const Prediction bare = predict_step(small_gpt(), plain_machine(), layout, {.details = false});
        EXPECT_EQ(full.step, bare.step) << name;
        EXPECT_GT(full.ops, 0) << name;
        EXPECT_EQ(bare.ops, 0) << name << ": the time alone takes no kernel";
        EXPECT_EQ(full.memory.fullest().peak, bare.memory.fullest().peak) << name;
        EXPECT_EQ(full.mfu, bare.mfu) << name;
    }
}

TEST(Utilization, IsThatOfThePublishedFormulas) {
    const Layout layout{.parallelism = {.dp = 2, .tp = 2, .pp = 2},
                        .batch = {.micro = 2, .global = 32},
                        .framework = {.recompute = Recompute::full, .flash_attention = false}};
    const Prediction p = predict_step(small_gpt(), plain_machine(), layout);
    const Gpt gpt{32, 512, 8, 1024, 16'384};
    const double peak = 8 * 300e12 * seconds(p.step);
    EXPECT_NEAR(p.mfu, gpt.model() / peak, 1e-12);
    EXPECT_NEAR(p.hfu, gpt.hardware() / peak, 1e-12);
    EXPECT_NEAR(p.tokens_per_second, 32 * 512 / seconds(p.step), 1e-6);
    Layout kept = layout;
    kept.framework.recompute = Recompute::none;
    const Prediction without = predict_step(small_gpt(), plain_machine(), kept);
    EXPECT_EQ(without.hfu, without.mfu);
}

TEST(Jitter, IsTheSameTwiceAndNoneAtZero) {
    const Layout layout{.parallelism = {.dp = 4, .tp = 2, .pp = 2, .zero = 1}, .batch = {.global = 32}};
    const auto step = [&](double jitter, std::uint64_t seed) {
        return predict_step(small_gpt(), plain_machine(), layout,
                            {.unfold = true, .hash_timeline = true, .jitter = jitter, .seed = seed});
    };
    EXPECT_EQ(step(0.05, 7).timeline_sha256, step(0.05, 7).timeline_sha256);
    EXPECT_NE(step(0.05, 7).timeline_sha256, step(0.05, 8).timeline_sha256);
    EXPECT_EQ(step(0, 7).timeline_sha256, step(0, 8).timeline_sha256);
    EXPECT_EQ(step(0, 7).step, predict_step(small_gpt(), plain_machine(), layout).step);
}

TEST(Jitter, OnAverageMakesAStepTheLongerTheLargerItIs) {
    for (const Layout& layout : {Layout{.parallelism = {.dp = 16}, .batch = {.global = 64}},
                                 Layout{.parallelism = {.dp = 2, .pp = 4}, .batch = {.global = 32}}}) {
        double before = 0;
        for (const double jitter : {0.0, 0.01, 0.03, 0.1}) {
            double sum = 0;
            for (std::uint64_t seed = 1; seed <= 8; ++seed) {
                sum += seconds(predict_step(small_gpt(), plain_machine(), layout,
                                            {.unfold = true, .jitter = jitter, .seed = seed, .details = false})
                                   .step);
            }
            EXPECT_GT(sum, before) << jitter;
            before = sum;
        }
    }
}

}  // namespace sim::training
