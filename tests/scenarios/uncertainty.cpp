// A prediction's range: how its width is derived, and that the shipped widths follow from the left-out runs.
#include "libsim/config/text_file.hpp"
#include "libsim/fit/validation/spread.hpp"
#include "libsim/predict/step_range.hpp"
#include "libsim/split.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/presets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

namespace {

using namespace sim;
using namespace sim::predict;
using namespace sim::fit;

Deviation deviation(const std::string& set, double log_ratio, const std::string& sweep = "", bool has_experts = false) {
    return {.set = set, .sweep = sweep, .has_experts = has_experts, .log_ratio = log_ratio};
}

TEST(Uncertainty, HoldsEightOfTenDeviations) {
    std::vector<Deviation> all;
    for (int i = 1; i <= 10; ++i) {
        all.push_back(deviation("S", (i % 2 == 0 ? 0.01 : -0.01) * i));
    }
    EXPECT_DOUBLE_EQ(spread_of(all, false).value_or(0), 0.08);
    EXPECT_EQ(spread_of({}, false), std::nullopt);
}

// Four of five runs are within 0.4; the run of A counts half if every set counts equally.
TEST(Uncertainty, CountsRunsOrSets) {
    const std::vector<Deviation> all{deviation("A", 0.5), deviation("B", 0.1), deviation("B", -0.2),
                                     deviation("B", 0.3), deviation("B", -0.4)};
    EXPECT_DOUBLE_EQ(spread_of(all, false).value_or(0), 0.4);
    EXPECT_DOUBLE_EQ(spread_of(all, true).value_or(0), 0.5);
}

// Differences of 0.25, 0.5 and 0.75 in the first sweep; the second has one run.
TEST(Uncertainty, OfAnOrderIsThatOfPairsOfOneSweep) {
    EXPECT_DOUBLE_EQ(spread_of_pairs({deviation("S", 0.25, "x"), deviation("S", 0.5, "x"), deviation("S", -0.25, "x"),
                                      deviation("S", 9, "y")})
                         .value_or(0),
                     0.75);
    EXPECT_EQ(spread_of_pairs({deviation("S", 1, "x"), deviation("S", 2, "y")}), std::nullopt);
}

TEST(Uncertainty, IsTheLargerOfWhatTookPartAndWhatDidNot) {
    const std::vector<Deviation> shipped{deviation("S", 0.111, "x"), deviation("S", 0.011, "x"),
                                         deviation("S", 0.301, "y", true)};
    const std::vector<Deviation> left_out{deviation("S", 0.151), deviation("S", 0.021), deviation("S", 0.3, "", true)};
    const training::Uncertainty found = uncertainty_of(shipped, left_out);
    EXPECT_DOUBLE_EQ(found.dense, 0.16);
    EXPECT_DOUBLE_EQ(found.experts, 0.31);
    EXPECT_DOUBLE_EQ(found.order, 0.1);
    const training::Uncertainty nothing = uncertainty_of({}, {});
    EXPECT_EQ(nothing.dense, training::Uncertainty{}.dense);
    EXPECT_EQ(nothing.order, training::Uncertainty{}.order);
}

TEST(StepRange, IsAFactorEitherWay) {
    training::Machine machine = training::machine("dgx-h100");
    machine.gpu.uncertainty = {.dense = std::log(1.25), .experts = std::log(2.0), .order = std::log(1.1)};
    const training::Transformer dense = training::preset("llama3-8b");
    const training::Transformer sparse = training::preset("mixtral-8x7b");
    const Duration ten = duration_of_seconds(10);
    EXPECT_DOUBLE_EQ(range_of(ten, dense, machine).lowest, 8);
    EXPECT_DOUBLE_EQ(range_of(ten, dense, machine).highest, 12.5);
    EXPECT_DOUBLE_EQ(range_of(ten, sparse, machine).lowest, 5);
    EXPECT_DOUBLE_EQ(range_of(ten, sparse, machine).highest, 20);
    EXPECT_TRUE(are_told_apart(ten, duration_of_seconds(11.1), machine));
    EXPECT_TRUE(are_told_apart(duration_of_seconds(11.1), ten, machine));
    EXPECT_FALSE(are_told_apart(ten, duration_of_seconds(10.9), machine));
}

// 768 x 2,048 parameters are small; gpt-oss's 2,880 x 2,880 are not.
TEST(StepRange, IsWiderOfSmallExpertsAndSaysSo) {
    training::Machine machine = training::machine("dgx-h100");
    machine.gpu.uncertainty = {.experts = std::log(1.25), .small_experts = std::log(2.0)};
    const Duration ten = duration_of_seconds(10);
    const training::Transformer small = training::preset("qwen3-30b-a3b");
    EXPECT_DOUBLE_EQ(range_of(ten, small, machine).highest, 20);
    EXPECT_EQ(
        warning_of_range(small, machine),
        "experts of 768 x 2048: measured steps of models with such small ones were up to 2.0 times as long, or as "
        "short, as predicted; the range is as wide (docs/accuracy.md#ranges)");
    EXPECT_DOUBLE_EQ(range_of(ten, training::preset("gpt-oss-120b"), machine).highest, 12.5);
    EXPECT_EQ(warning_of_range(training::preset("gpt-oss-120b"), machine), std::nullopt);
}

struct Published {
    std::vector<RunRecord> records;
    std::vector<Measured> measured;
    MachinesByName machines;
};
Published published() {
    const std::string file = NDSIM_SOURCE_DIR "/docs/data/published_runs.json";
    const std::string text = config::read_json_text(file, "a JSON file", config::written_by_programs);
    Published runs{read_runs(text, file), read_measured(text, file), {}};
    runs.machines = machines_of(runs.records);
    return runs;
}

// By run id: docs/data/left_out.csv, predictions with numbers that were fitted without the run's set.
std::map<std::string, Deviation> kept_left_out() {
    std::ifstream file(NDSIM_SOURCE_DIR "/docs/data/left_out.csv");
    std::string line;
    std::getline(file, line);
    EXPECT_EQ(line, "generation,set,id,predicted_s,measured_s");
    std::map<std::string, Deviation> result;
    while (std::getline(file, line)) {
        const std::vector<std::string> cells = split(line, ',');
        result[cells.at(2)] = deviation(cells.at(1), std::log(std::stod(cells.at(4)) / std::stod(cells.at(3))));
    }
    return result;
}

struct Found {
    std::vector<Deviation> shipped;
    std::vector<Deviation> left_out;
};

std::map<std::string, Found> found_by_generation() {
    const Published runs = published();
    const std::vector<RunPrediction> predictions = predict_runs(runs.records, {.machines = runs.machines});
    std::map<std::string, Deviation> kept = kept_left_out();
    std::map<std::string, Found> found;
    for (std::size_t i = 0; i < predictions.size(); ++i) {
        const RunPrediction& run = predictions[i];
        const auto at = kept.find(run.id);
        if (at != kept.end()) {
            const std::vector<Deviation> now = deviations_of({run}, {runs.measured[i]});
            EXPECT_EQ(now.size(), 1U) << run.id;
            at->second.has_experts = run.model.experts.count > 0;
            Found& of_generation = found[run.generation];
            of_generation.shipped.insert(of_generation.shipped.end(), now.begin(), now.end());
            of_generation.left_out.push_back(at->second);
        }
    }
    return found;
}

training::Uncertainty shipped_of(const char* gpu) {
    return training::accelerator(gpu).uncertainty;
}

// After refitting a generation's numbers, run tools/leave_one_out.sh, and take what this test prints: unlike that
// output, it counts the sets that took part in no fit.
TEST(Uncertainty, ThatShipsIsWhatRunsThatWereLeftOutTell) {
    std::map<std::string, Found> found = found_by_generation();
    for (const auto& [generation, gpu] :
         {std::pair{"ampere", "A100-SXM-80GB"}, {"hopper", "H100-SXM-80GB"}, {"blackwell", "B200"}}) {
        const training::Uncertainty shipped = shipped_of(gpu);
        const training::Uncertainty notes = uncertainty_of(found[generation].shipped, found[generation].left_out);
        EXPECT_EQ(shipped.dense, notes.dense) << generation;
        EXPECT_EQ(shipped.order, notes.order) << generation;
        const std::vector<Deviation>& runs = found[generation].left_out;
        if (std::any_of(runs.begin(), runs.end(), [](const Deviation& run) { return run.has_experts; })) {
            EXPECT_EQ(shipped.experts, notes.experts) << generation;
        }
    }
}

// Both ran on 16 H100; 0025 took 1.8 times the predicted time.
TEST(Uncertainty, OfSmallExpertsHoldsTheRunsThatWereMeasured) {
    const Published runs = published();
    int seen = 0;
    for (std::size_t i = 0; i < runs.records.size(); ++i) {
        const RunRecord& record = runs.records[i];
        if (record.id == "bridge-h100-0010" || record.id == "bridge-h100-0025") {
            const RunPrediction run = predict_run(record, runs.machines);
            for (const RangeScore& one : range_scores({run}, {runs.measured[i]})) {
                EXPECT_EQ(one.in_range, one.steps) << record.id;
                ++seen;
            }
        }
    }
    EXPECT_EQ(seen, 2);
}

// The ranges promise 80 %.
TEST(Uncertainty, HoldsThreeQuartersOfTheRunsOfEachGenerationAtLeast) {
    const Published runs = published();
    const std::vector<RangeScore> scores =
        range_scores(predict_runs(runs.records, {.machines = runs.machines}), runs.measured);
    ASSERT_EQ(scores.size(), 6U);
    for (const RangeScore& one : scores) {
        EXPECT_GE(4 * one.in_range, 3 * one.steps) << one.generation;
    }
}

std::vector<EfficiencyChange> taken_over(const char* from, const char* to) {
    const training::Efficiency numbers = training::accelerator(from).efficiency;
    std::vector<EfficiencyChange> changes;
    for (const training::EfficiencyField& field : training::efficiency_fields()) {
        changes.push_back({training::accelerator(to).generation, field.field, numbers.*field.field});
    }
    return changes;
}

// A generation without measurements has numbers by analogy. The error of A100, H100 and B200 with each other's numbers
// gives the width; every pair counts equally.
TEST(Uncertainty, OfAGenerationWithoutRunsIsThatOfNumbersTakenOver) {
    const Published runs = published();
    const char* const gpus[] = {"A100-SXM-80GB", "H100-SXM-80GB", "B200"};
    std::vector<Deviation> all;
    for (const char* to : gpus) {
        for (const char* from : gpus) {
            const std::vector<RunPrediction> predictions =
                predict_runs(runs.records, {.changes = taken_over(from, to), .machines = runs.machines});
            for (std::size_t i = 0; i < predictions.size() && from != to; ++i) {
                if (predictions[i].generation == training::accelerator(to).generation) {
                    for (Deviation one : deviations_of({predictions[i]}, {runs.measured[i]})) {
                        one.set = std::string(from) + " for " + to;
                        all.push_back(one);
                    }
                }
            }
        }
    }
    EXPECT_NEAR(spread_of(all, true).value_or(0), training::Uncertainty{}.dense, 0.1);
    EXPECT_EQ(shipped_of("MI300X").dense, training::Uncertainty{}.dense);
}

}  // namespace
