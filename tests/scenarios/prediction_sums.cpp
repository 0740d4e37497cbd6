// What a prediction's parts must add up to, and what its shares are shares of.
#include "libsim/model/hardware.hpp"
#include "libsim/model/presets.hpp"
#include "scenarios/prediction/prediction.hpp"
#include "tests/support/training_steps.hpp"

#include <numeric>

namespace sim::model {

using namespace scenarios;
using namespace test;

namespace {

const std::vector<std::pair<const char*, Layout>>& layouts() {
    static const std::vector<std::pair<const char*, Layout>> all{
        {"one", {.global_batch = 4}},
        {"data", {.dp = 8, .global_batch = 32}},
        {"data, late", {.dp = 8, .global_batch = 32, .overlap_gradients = false}},
        {"zero 1", {.dp = 8, .global_batch = 32, .zero = 1}},
        {"zero 1, late", {.dp = 8, .global_batch = 32, .zero = 1, .overlap_parameters = false}},
        {"sharded", {.dp = 16, .global_batch = 64, .zero = 3}},
        {"tensor", {.tp = 8, .global_batch = 4, .sequence_parallel = true}},
        {"context", {.cp = 4, .global_batch = 4}},
        {"mixed", {.dp = 4, .tp = 4, .pp = 4, .global_batch = 32, .zero = 1}},
        {"mixed, sharded", {.dp = 4, .tp = 2, .pp = 4, .global_batch = 32, .zero = 3}},
        {"blocking", {.dp = 2, .tp = 2, .pp = 4, .global_batch = 32, .overlap_pipeline = false}},
        {"gpipe", {.dp = 2, .pp = 8, .global_batch = 32, .schedule = "gpipe", .recompute = Recompute::full}},
        {"interleaved", {.dp = 2, .pp = 4, .global_batch = 32, .schedule = "interleaved", .interleave = 2}},
        {"zb_h1", {.dp = 2, .pp = 8, .global_batch = 32, .schedule = "zb_h1"}},
        {"zb_h2", {.dp = 2, .pp = 8, .global_batch = 32, .schedule = "zb_h2"}},
        {"zb_h2, zero 1", {.dp = 2, .pp = 4, .global_batch = 64, .schedule = "zb_h2", .zero = 1}},
        {"zb_h2, few", {.pp = 8, .global_batch = 4, .schedule = "zb_h2"}},
    };
    return all;
}

double sum_of(const Budget& budget) {
    return std::accumulate(budget.begin(), budget.end(), 0.0);
}

// GPT with attention in full and matrices alone: what the published formulas count.
struct Gpt {
    double batch, sequence, layers, hidden, vocabulary;
    double attention() const { return sequence / (6 * hidden); }
    // Korthikanti et al. 2022: model FLOPs.
    double model() const {
        return 72 * batch * sequence * layers * hidden * hidden *
               (1 + attention() + vocabulary / (12 * layers * hidden));
    }
    // Narayanan et al. 2021: with full recomputation.
    double hardware() const {
        return 96 * batch * sequence * layers * hidden * hidden *
               (1 + attention() + vocabulary / (16 * layers * hidden));
    }
};

}  // namespace

// 16 ranks of two nodes: of 16 pieces that a rank sends, 8 leave its node by its own network card.
TEST(Communication, OfExpertsIsMeasuredByARanksOwnLink) {
    Transformer model = preset("mixtral-8x7b");
    model.experts.count = 16;
    model.sequence = 4096;
    const Machine h100 = machine("dgx-h100");
    const Prediction step = predict(model, h100, {.dp = 16, .ep = 16, .micro_batch = 1, .global_batch = 16});
    const CommunicationUse& use = step.communication.front();
    ASSERT_EQ(use.what, "all-to-all of tokens");
    EXPECT_DOUBLE_EQ(use.link_share, use.bus_bandwidth / (h100.scale_out * 15 / 8));
    EXPECT_LT(use.link_share, 1);
}

TEST(TimeBudget, OfEveryStageSumsUpToTheStepAndHasNoNegativePart) {
    for (const auto& [name, layout] : layouts()) {
        for (const bool unfold : {false, true}) {
            const Prediction p = predict(small_gpt(), plain_machine(), layout, {.unfold = unfold});
            ASSERT_EQ(p.stage_budgets.size(), static_cast<std::size_t>(layout.pp));
            for (const Budget& stage : p.stage_budgets) {
                EXPECT_NEAR(sum_of(stage), seconds(p.step), 1e-9 * seconds(p.step)) << name;
                for (std::size_t kind = 0; kind < spent_kinds; ++kind) {
                    EXPECT_GE(stage[kind], 0) << name << ": " << name_of(static_cast<Spent>(kind));
                }
            }
            EXPECT_NEAR(sum_of(p.budget), seconds(p.step), 1e-9 * seconds(p.step)) << name;
        }
    }
}

TEST(TimeBudget, IsTheSameOfAllRanksAndOfOneRankAStage) {
    for (const auto& [name, layout] : layouts()) {
        const Prediction few = predict(small_gpt(), plain_machine(), layout);
        const Prediction all = predict(small_gpt(), plain_machine(), layout, {.unfold = true});
        EXPECT_EQ(few.step, all.step) << name;
        for (std::size_t kind = 0; kind < spent_kinds; ++kind) {
            EXPECT_NEAR(few.budget[kind], all.budget[kind], 1e-9 * seconds(few.step))
                << name << ": " << name_of(static_cast<Spent>(kind));
        }
    }
}

TEST(Prediction, DoesNotDependOnWhetherDetailsAreAsked) {
    for (const auto& [name, layout] : layouts()) {
        const Prediction full = predict(small_gpt(), plain_machine(), layout);
        const Prediction bare = predict(small_gpt(), plain_machine(), layout, {.details = false});
        EXPECT_EQ(full.step, bare.step) << name;
        EXPECT_EQ(full.ops, bare.ops) << name;
        EXPECT_EQ(full.memory.fullest().peak, bare.memory.fullest().peak) << name;
        EXPECT_EQ(full.mfu, bare.mfu) << name;
    }
}

TEST(Utilization, IsThatOfThePublishedFormulas) {
    const Layout layout{.dp = 2,
                        .tp = 2,
                        .pp = 2,
                        .micro_batch = 2,
                        .global_batch = 32,
                        .recompute = Recompute::full,
                        .flash_attention = false};
    const Prediction p = predict(small_gpt(), plain_machine(), layout);
    const Gpt gpt{32, 512, 8, 1024, 16'384};
    const double peak = 8 * 300e12 * seconds(p.step);
    EXPECT_NEAR(p.mfu, gpt.model() / peak, 1e-12);
    EXPECT_NEAR(p.hfu, gpt.hardware() / peak, 1e-12);
    EXPECT_NEAR(p.tokens_per_second, 32 * 512 / seconds(p.step), 1e-6);
    Layout kept = layout;
    kept.recompute = Recompute::none;
    const Prediction without = predict(small_gpt(), plain_machine(), kept);
    EXPECT_EQ(without.hfu, without.mfu);
}

TEST(Jitter, IsTheSameTwiceAndNoneAtZero) {
    const Layout layout{.dp = 4, .tp = 2, .pp = 2, .global_batch = 32, .zero = 1};
    const auto step = [&](double jitter, std::uint64_t seed) {
        return predict(small_gpt(), plain_machine(), layout,
                       {.unfold = true, .hash_timeline = true, .jitter = jitter, .seed = seed});
    };
    EXPECT_EQ(step(0.05, 7).timeline_sha256, step(0.05, 7).timeline_sha256);
    EXPECT_NE(step(0.05, 7).timeline_sha256, step(0.05, 8).timeline_sha256);
    EXPECT_EQ(step(0, 7).timeline_sha256, step(0, 8).timeline_sha256);
    EXPECT_EQ(step(0, 7).step, predict(small_gpt(), plain_machine(), layout).step);
}

TEST(Jitter, OnAverageMakesAStepTheLongerTheLargerItIs) {
    for (const Layout& layout : {Layout{.dp = 16, .global_batch = 64}, Layout{.dp = 2, .pp = 4, .global_batch = 32}}) {
        double before = 0;
        for (const double jitter : {0.0, 0.01, 0.03, 0.1}) {
            double sum = 0;
            for (std::uint64_t seed = 1; seed <= 8; ++seed) {
                sum += seconds(predict(small_gpt(), plain_machine(), layout,
                                       {.unfold = true, .jitter = jitter, .seed = seed, .details = false})
                                   .step);
            }
            EXPECT_GT(sum, before) << jitter;
            before = sum;
        }
    }
}

}  // namespace sim::model
