// The outcome compares the launcher's result with a single rank, and breaks down the time of all ranks.
#pragma once

#include "ranks/recovery.hpp"
#include "scenarios/options/options.hpp"

#include <span>
#include <string>
#include <vector>

namespace sim::scenarios {

// Runs agree if no weight differs by more than this, relatively: sums in another order differ in their last digits.
inline constexpr double weights_agree = 1e-9;

// A weight's values after training in two ways, and before.
struct TrainedWeights {
    std::span<const double> a;
    std::span<const double> b;
    std::span<const double> start;
};

// The largest |a - b| / max(|a|, |b|, |start|) over the weights in the same place; infinite if one is not finite or one
// array is longer.
// The start counts because a weight is its start minus the steps: if it went from 0.02 to 0.00000002, numbers like 0.02
// were rounded, and their last digits are eight digits further up than its own.
double relative_difference(const TrainedWeights& weights);

struct Outcome {
    std::string scenario;
    Options options;
    sim::ranks::Result result;  // of a run without a fault, or one that continued after it
    std::vector<sim::ranks::Life> lives = {};
    double sequential_seconds = 0;  // simulated time of 0D with the same options
    double loss_before = 0;         // mean over the items
    double loss = 0;
    std::string weights_sha256;        // of the whole model's weights, as bytes
    double max_weight_difference = 0;  // of any rank's weights from those of training alone

    double simulated_seconds() const { return seconds(result.end); }
    double speedup() const;
    double efficiency() const { return speedup() / options.ranks; }
    // Idle time that a pipeline's schedule causes: waiting for the previous or next stage, and for the end of the run.
    // As a fraction of all ranks' time; 0 without a pipeline.
    double bubble_fraction() const;
    bool agrees() const;
};

// Simulates 0D and trains alone. Requires: the ranks reported the values of train().
Outcome outcome_of(const std::string& scenario, const Options& options, const Cluster& cluster,
                   sim::ranks::Result result, std::vector<sim::ranks::Life> lives = {});

// Seconds summed over all ranks: compute + communication + idle = ranks x simulated time.
struct TimeSpent {
    double compute = 0;
    double communication = 0;
    double idle = 0;
    double bubble = 0;         // the part of `idle` caused by a pipeline's schedule
    double least_compute = 0;  // of one rank
    double most_compute = 0;

    double all() const { return compute + communication + idle; }
    double percent(double part) const { return all() > 0 ? 100 * part / all() : 0; }
    // Beyond what one rank alone would need: some GPUs are slower.
    double extra_compute(const Outcome& outcome) const { return compute - outcome.sequential_seconds; }
};

TimeSpent spent_by(const Outcome& outcome);

// A loss below this fraction of all ranks' time is not mentioned.
inline constexpr double worth_a_word = 0.05;

}  // namespace sim::scenarios
