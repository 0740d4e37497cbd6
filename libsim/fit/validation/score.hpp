// A score says how far predictions are from measurements, by set.
#pragma once

#include "libsim/fit/validation/measured.hpp"
#include "libsim/fit/validation/predict_run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::fit {

// A prediction and what was measured, both above 0.
struct Pair {
    double predicted = 0;
    double measured = 0;
    double error() const { return (predicted - measured) / measured; }
};

double mean_absolute_error(const std::vector<Pair>& pairs);  // shares; of none: 0
double mean_error(const std::vector<Pair>& pairs);
// Spearman's rank correlation; what is equal shares its mean rank. Nothing for fewer than 3 pairs, or where all of one
// side are equal.
std::optional<double> rank_correlation(const std::vector<Pair>& pairs);

// One record, as far as it was measured.
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
    // Within sweeps: runs of one model on as many GPUs of which something else was varied, four at least. The mean over
    // sweeps, by their sizes.
    std::optional<double> sweep_correlation;
    std::vector<RunScore> worst;  // the largest errors of step time first, at most three
};

// Runs with the same text differ in how one model is laid out on as many GPUs, in one set: they are a sweep.
std::string sweep_of(const RunPrediction& run);

RunScore score_of(std::size_t number, const RunPrediction& prediction, const Measured& measured);

// Whether ranges are what they say, for a generation of GPUs.
struct RangeScore {
    std::string generation;
    std::size_t steps = 0;     // that were measured and predicted
    std::size_t in_range = 0;  // of them
};
// In alphabetical order.
std::vector<RangeScore> range_scores(const std::vector<RunPrediction>& predictions,
                                     const std::vector<Measured>& measured);

// Sets in the order in which they come in the file.
std::vector<SetScore> set_scores(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured);

}  // namespace sim::fit
