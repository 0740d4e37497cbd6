// This sum says where the time of all ranks together went.
#pragma once

#include "scenarios/report/outcome.hpp"

namespace sim::scenarios {

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
