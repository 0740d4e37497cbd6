// Ranks that train models of their own and average them now and then (--local-steps).
#include "scenarios/lesson/transformer/alone.hpp"
#include "tests/strategies/strategy_run.hpp"

#include <fmt/format.h>

#include <vector>

namespace {

using namespace sim;
using namespace sim::test;

constexpr const char* small = "1d_data_parallel --hidden 8 --sequence 4 --layers 2";

TEST(AveragedModels, AfterEverySgdStepAreTheModelOfOneRankAlsoWithUnevenShares) {
    for (const char* const shares :
         {"--ranks 2 --items 8", "--ranks 4 --items 6", "--ranks 3 --items 16 --experts 2"}) {
        const std::string line = fmt::format("{} {} --steps 5 --local-steps 1", small, shares);
        EXPECT_LE(outcome_of_line(line).max_weight_difference, 1e-9) << line;
    }
}

// Momenta of Adam are each rank's own, so its averaged models are others.
TEST(AveragedModels, AfterEveryStepOfAdamOrAfterSeveralOfSgdAreNotThatOfOneRankAndTrainWell) {
    for (const char* const way : {"--optimizer adam --local-steps 1", "--local-steps 2", "--local-steps 4"}) {
        const scenarios::Outcome outcome = outcome_of_line(fmt::format("{} --ranks 4 --steps 4 {}", small, way));
        EXPECT_GT(outcome.max_weight_difference, 1e-6) << way;
        EXPECT_LT(outcome.loss, 0.7 * outcome.loss_before) << way;
        EXPECT_TRUE(outcome.agrees()) << way;
    }
}

// Rank 1 has no item: its model counts for nothing, and rank 0's is that of training alone.
TEST(AveragedModels, CountByTheItemsTheyWereTrainedOn) {
    const std::string line = fmt::format("{} --ranks 2 --items 1 --steps 4 --local-steps 4", small);
    EXPECT_LE(outcome_of_line(line).max_weight_difference, 1e-12);
}

// Two ranks with one item each: the average of training alone on item 0 and training alone on item 1. The first is
// known without ranks; so the second must be twice the average less the first, and have learned its own item.
TEST(AveragedModels, AreTheMeanOfTheModels) {
    const scenarios::Options options =
        options_of(fmt::format("{} --ranks 2 --items 2 --steps 6 --local-steps 6", small));
    const ranks::Result result = launched(options, ranks::Host::fiber);
    const std::vector<double>& mean = result.reports.at("weights").at(0);
    EXPECT_EQ(mean, result.reports.at("weights").at(1));
    const std::vector<double>& places = result.reports.at("places").at(0);
    const std::vector<double> of_rank_0 =
        lesson::train({.shape = options.shape, .seed = options.unsigned_seed(), .items = 1, .steps = 6}).weights;
    std::vector<double> of_rank_1(mean.size());
    for (std::size_t i = 0; i < mean.size(); ++i) {
        const auto place = static_cast<std::size_t>(places[i]);
        of_rank_1[place] = 2 * mean[i] - of_rank_0[place];
    }
    const auto loss_of_item_1 = [&](const std::vector<double>& weights) {
        return 2 * lesson::mean_loss(options.shape, weights, options.unsigned_seed(), 2) -
               lesson::mean_loss(options.shape, weights, options.unsigned_seed(), 1);
    };
    EXPECT_LT(loss_of_item_1(of_rank_1), 0.5 * loss_of_item_1(of_rank_0));
}

// A step computes 4 items of 2 s; an average costs a ring of 6 messages, 8.1 s; the last step always ends with one.
TEST(AveragedModels, CostAnAllReduceForEachAverage) {
    for (const auto& [way, averages] : {std::pair{"--local-steps 0", 6},
                                        {"--local-steps 1", 6},
                                        {"--local-steps 2", 3},
                                        {"--local-steps 4", 2},
                                        {"--local-steps 6", 1},
                                        {"--local-steps 7", 1}}) {
        const std::string line = fmt::format("{} --ranks 4 --steps 6 {}", small, way);
        EXPECT_NEAR(outcome_of_line(line).simulated_seconds(), 6 * 8 + averages * 8.1, 1e-9) << line;
    }
}

TEST(AveragedModels, AndTheirTimelineAreTheSameFromProcessesAndFibers) {
    const scenarios::Options options =
        options_of(fmt::format("{} --ranks 3 --items 7 --steps 5 --local-steps 2 --synchronize direct", small));
    const ranks::Result fibers = launched(options, ranks::Host::fiber);
    const ranks::Result processes = launched(options, ranks::Host::process);
    EXPECT_EQ(fibers.timeline_sha256, processes.timeline_sha256);
    EXPECT_EQ(fibers.reports, processes.reports);
}

}  // namespace
