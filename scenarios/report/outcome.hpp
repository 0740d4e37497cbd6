// The outcome adds to the launcher's result a comparison with one rank alone.
#pragma once

#include "ranks/recovery.hpp"
#include "scenarios/options/options.hpp"
#include "scenarios/report/agreement.hpp"

#include <string>
#include <vector>

namespace sim::scenarios {

struct Outcome {
    std::string scenario;
    Options options;
    sim::ranks::Result result;  // of a run without a fault, or which went on after it
    std::vector<sim::ranks::Life> lives = {};
    double sequential_seconds = 0;  // what 0D takes for the same options, simulated
    double loss_before = 0;         // mean over the items
    double loss = 0;
    std::string weights_sha256;        // of the whole model's weights, as bytes
    double max_weight_difference = 0;  // of any rank's weights from those of training alone, see agreement.hpp

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

}  // namespace sim::scenarios
