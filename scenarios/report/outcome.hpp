// The outcome adds to the launcher's result a comparison with one rank alone, and says where the time of all ranks
// went.
#pragma once

#include "ranks/recovery.hpp"
#include "scenarios/options/options.hpp"

#include <span>
#include <string>
#include <vector>

namespace sim::scenarios {

// Runs agree if no weight differs by more, relatively: sums in another order differ in their last digits.
inline constexpr double weights_agree = 1e-9;

// A weight's values after training in two ways, and before.
struct TrainedWeights {
    std::span<const double> a;
    std::span<const double> b;
    std::span<const double> start;
};

// The largest |a - b| / max(|a|, |b|, |start|) of the weights in the same place; infinite if one is not finite or one
// array is longer.
// The start counts because a weight is its start less the steps: of one that came from 0.02 to 0.00000002, what was
// rounded are numbers like 0.02, and their last digits are eight of its own.
double relative_difference(const TrainedWeights& weights);

struct Outcome {
    std::string scenario;
    Options options;
    sim::ranks::Result result;  // of a run without a fault, or which went on after it
    std::vector<sim::ranks::Life> lives = {};
    double sequential_seconds = 0;  // what 0D takes for the same options, simulated
    double loss_before = 0;         // mean over the items
    double loss = 0;
    std::string weights_sha256;        // of the whole model's weights, as bytes
    double max_weight_difference = 0;  // of any rank's weights from those of training alone

    double simulated_seconds() const { return seconds(result.end); }
    double speedup() const;
    double efficiency() const { return speedup() / options.ranks; }
    // Idle time that a pipeline's schedule causes: waiting for the stage before or after, and for the end of the run.
    // As a part of all ranks' time; 0 without a pipeline.
    double bubble_fraction() const;
    bool agrees() const;
};

// Simulates 0D and trains alone. Requires: the ranks reported what train() does.
Outcome outcome_of(const std::string& scenario, const Options& options, const Cluster& cluster,
                   sim::ranks::Result result, std::vector<sim::ranks::Life> lives = {});

// Seconds of all ranks together: compute + communication + idle = ranks x simulated time.
struct TimeSpent {
    double compute = 0;
    double communication = 0;
    double idle = 0;
    double bubble = 0;         // the part of `idle` that a pipeline's schedule causes
    double least_compute = 0;  // of one rank
    double most_compute = 0;

    double all() const { return compute + communication + idle; }
    double percent(double part) const { return all() > 0 ? 100 * part / all() : 0; }
    // Beyond what one rank alone would need: some are slower GPUs.
    double extra_compute(const Outcome& outcome) const { return compute - outcome.sequential_seconds; }
};

TimeSpent spent_by(const Outcome& outcome);

// A loss of less than this part of all ranks' time is not worth a word.
inline constexpr double worth_a_word = 0.05;

}  // namespace sim::scenarios
