// What a run came to, beside what the launcher says: compared with one rank alone.
#pragma once

#include "ranks/launch.hpp"
#include "scenarios/options/options.hpp"

#include <string>

namespace sim::scenarios {

// Runs agree if no weight differs by more, relatively: sums in another order differ in their last digits.
inline constexpr double weights_agree = 1e-9;

struct Outcome {
    std::string scenario;
    Options options;
    sim::ranks::Result result;      // of a run without a fault
    double sequential_seconds = 0;  // what 0D takes for the same options, simulated
    double loss_before = 0;         // mean over the items
    double loss = 0;
    std::string weights_sha256;        // of rank 0's weights, as bytes
    double max_weight_difference = 0;  // of any rank's weights, relative to those of training alone

    double simulated_seconds() const { return seconds(result.end); }
    double speedup() const;
    double efficiency() const { return speedup() / options.ranks; }
};

// Simulates 0D and trains alone. Requires: the ranks reported what Scenario::program must.
Outcome outcome_of(const std::string& scenario, const Options& options, const Cluster& cluster,
                   sim::ranks::Result result);

}  // namespace sim::scenarios
