// Closed forms of a job's effective share of time; faults/checkpoint_intervals.hpp has the optimal intervals.
//
// M is the mean time between failures of the whole job; the interval is the work between two checkpoints.
// Sources: Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", FGCS 22 (2006).
// Bougeret et al., "Checkpointing strategies for parallel jobs", SC 2011, for the detection time. Kokolis et al.,
// "Revisiting reliability in large-scale machine learning research clusters", HPCA 2025, arXiv:2410.21680v2.
#pragma once

#include "libsim/goodput/job.hpp"

#include <optional>

namespace sim::goodput {

// tau / (e^(R/M) (M + D) (e^((tau + C)/M) - 1)): exact for a job that restarts at once, if failures are memoryless,
// each is detected after D, and one during the restart R begins it again. D = 0 gives Daly's formula.
double expected_share(double interval, double checkpoint, double between_failures, double detection, double restart);
// The same for a job; none if the formula does not apply to it: failures that are not memoryless, checkpoints written
// in the background, planned interruptions, repair times to wait for, or the abort policy.
std::optional<double> expected_share(const LongJob& job);

// (1 - (u + tau / 2) / M) / (1 + C / tau), u being detection plus restart: Kokolis et al., good while losses are small.
double estimated_share(double interval, double checkpoint, double between_failures, double recovery);
double estimated_share(const LongJob& job);

// M of a job; infinite if nothing fails.
double seconds_between_failures(const LongJob& job);

}  // namespace sim::goodput
