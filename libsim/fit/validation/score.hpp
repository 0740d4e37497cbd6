// A score measures how far predictions are from measurements, by set.
#pragma once

#include "libsim/fit/validation/measured.hpp"
#include "libsim/fit/validation/predict_run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::fit {

// A predicted and a measured value, both above 0.
struct Pair {
    double predicted = 0;
    double measured = 0;
    double error() const { return (predicted - measured) / measured; }
};

double mean_absolute_error(const std::vector<Pair>& pairs);  // shares of 1; 0 for no pairs
double mean_error(const std::vector<Pair>& pairs);
// Spearman's rank correlation; equal values share their mean rank. None for fewer than 3 pairs, or if one side is
// constant.
std::optional<double> rank_correlation(const std::vector<Pair>& pairs);

// One record's scores, as far as it was measured.
struct RunScore {
    std::size_t record = 0;      // its number in the file
    std::optional<Pair> step;    // seconds; none: not measured, not usable, or not predicted
    bool in_range = false;       // whether the measured step lies in the predicted range
    std::optional<Pair> memory;  // GiB
    std::optional<Pair> layer;   // seconds
};

struct SetScore {
    std::string name;
    std::size_t records = 0;
    std::vector<Pair> steps;
    std::vector<Pair> memories;
    std::vector<Pair> layers;
    // The rank correlation within sweeps, averaged over sweeps by size. A sweep is at least four runs of one model on
    // the same number of GPUs with something else varied.
    std::optional<double> sweep_correlation;
    std::vector<RunScore> worst;  // the largest errors of step time first, at most three
};

// Runs with the same text form a sweep: one model on the same number of GPUs, in one set, with different layouts.
std::string sweep_of(const RunPrediction& run);

RunScore score_of(std::size_t number, const RunPrediction& prediction, const Measured& measured);

// The number of measured steps that fall into their predicted ranges, for a generation of GPUs.
struct RangeScore {
    std::string generation;
    std::size_t steps = 0;     // both measured and predicted
    std::size_t in_range = 0;  // of those
};
// By generation, in alphabetical order.
std::vector<RangeScore> range_scores(const std::vector<RunPrediction>& predictions,
                                     const std::vector<Measured>& measured);

// Sets in the order of the file.
std::vector<SetScore> set_scores(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured);

}  // namespace sim::fit
