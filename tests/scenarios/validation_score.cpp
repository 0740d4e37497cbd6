// Prediction errors and rank correlations, worked out by hand.
#include "libsim/fit/validation/gates.hpp"
#include "libsim/fit/validation/score.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace sim::fit;

// 10 % too much, 20 % too little.
TEST(Score, MeansErrorsWithAndWithoutTheirSign) {
    const std::vector<Pair> pairs{{110, 100}, {40, 50}};
    EXPECT_DOUBLE_EQ(mean_absolute_error(pairs), 0.15);
    EXPECT_DOUBLE_EQ(mean_error(pairs), -0.05);
    EXPECT_EQ(mean_absolute_error({}), 0);
}

TEST(Score, RanksAreAllThatTheirCorrelationSees) {
    EXPECT_DOUBLE_EQ(rank_correlation({{1, 10}, {2, 1000}, {3, 1001}}).value_or(0), 1);
    EXPECT_DOUBLE_EQ(rank_correlation({{3, 10}, {2, 1000}, {1, 1001}}).value_or(0), -1);
    // Ranks 1 2 3 4 5 against 2 1 4 3 5: 1 - 6 (1 + 1 + 1 + 1) / (5 (25 - 1)) = 0.8.
    EXPECT_DOUBLE_EQ(rank_correlation({{1, 20}, {2, 10}, {3, 40}, {4, 30}, {5, 50}}).value_or(0), 0.8);
}

// Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: covariance 4.5, variances 4.5 and 5.
TEST(Score, WhatIsEqualSharesItsRank) {
    EXPECT_DOUBLE_EQ(rank_correlation({{1, 1}, {2, 2}, {2, 3}, {3, 4}}).value_or(0), 4.5 / std::sqrt(4.5 * 5));
}

TEST(Score, HasNoRankCorrelationOfTwoRunsOrOfEqualOnes) {
    EXPECT_EQ(rank_correlation({{1, 1}, {2, 2}}), std::nullopt);
    EXPECT_EQ(rank_correlation({{1, 1}, {1, 2}, {1, 3}}), std::nullopt);
}

RunPrediction prediction(const std::string& id, double seconds, int gpus = 1) {
    RunPrediction run{.id = id, .set = "S", .step_seconds = seconds, .memory_gib = 8};
    run.layout.parallelism.dp = gpus;
    return run;
}

TEST(Score, LeavesOutRunsThatAreNotUsableOrNotPredicted) {
    RunPrediction broken = prediction("c", 1);
    broken.problem = "no";
    const std::vector<RunPrediction> runs{prediction("a", 2), prediction("b", 5), broken};
    const std::vector<Measured> measured{
        {.step_seconds = 1}, {.step_seconds = 1, .memory_gib = 10, .usable = false}, {.step_seconds = 1}};
    const std::vector<SetScore> sets = set_scores(runs, measured);
    ASSERT_EQ(sets.size(), 1U);
    EXPECT_EQ(sets[0].records, 3U);
    EXPECT_EQ(sets[0].steps.size(), 1U);
    EXPECT_DOUBLE_EQ(mean_error(sets[0].steps), 1);
    EXPECT_DOUBLE_EQ(mean_error(sets[0].memories), -0.2);
}

// Four runs on 1 GPU in the right order, four on 2 in the wrong order; the two on 4 are too few for a sweep.
TEST(Score, MeansTheRankCorrelationOverSweeps) {
    std::vector<RunPrediction> runs;
    std::vector<Measured> measured;
    const auto add = [&](double predicted, double seconds, int gpus) {
        runs.push_back(prediction("r", predicted, gpus));
        measured.push_back({.step_seconds = seconds});
    };
    for (const double x : {1, 2, 3, 4}) {
        add(x, x, 1);
        add(x, 5 - x, 2);
    }
    add(1, 2, 4);
    add(2, 1, 4);
    EXPECT_DOUBLE_EQ(set_scores(runs, measured)[0].sweep_correlation.value_or(9), 0);
}

TEST(Score, NamesTheThreeWorstRuns) {
    const std::vector<RunPrediction> runs{prediction("a", 1.1), prediction("b", 0.5), prediction("c", 1),
                                          prediction("d", 3)};
    const std::vector<SetScore> sets = set_scores(runs, std::vector<Measured>(4, Measured{.step_seconds = 1}));
    ASSERT_EQ(sets[0].worst.size(), 3U);
    EXPECT_EQ(sets[0].worst[0].record, 3U);
    EXPECT_EQ(sets[0].worst[1].record, 1U);
    EXPECT_EQ(sets[0].worst[2].record, 0U);
}

TEST(Score, KnowsWhatIsPromisedOfASet) {
    EXPECT_EQ(promised_error("KORTH-T5"), 0.04);
    EXPECT_EQ(promised_error("SC21-T2-PTDP"), 0.10);
    EXPECT_EQ(promised_error("SOMEBODY-ELSE"), std::nullopt);
}

}  // namespace
