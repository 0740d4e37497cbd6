// The share of the time that is effective, as theory has it; faults/checkpoint_intervals.hpp has the best intervals.
//
// In all of them M is the mean time between failures of the whole job, and the interval is work between checkpoints.
// Sources: Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", FGCS 22 (2006).
// Bougeret et al., "Checkpointing strategies for parallel jobs", SC 2011, for the time during which a failure is not
// noticed. Kokolis et al., "Revisiting reliability in large-scale machine learning research clusters", HPCA 2025,
// arXiv:2410.21680v2.
#pragma once

#include "libsim/goodput/job.hpp"

#include <optional>

namespace sim::goodput {

// tau / (e^(R/M) (M + D) (e^((tau + C)/M) - 1)): exact for a job that restarts at once, if failures are memoryless,
// each is noticed after D, and those during a restart, R, begin it again. With D = 0 Daly's.
double expected_share(double interval, double checkpoint, double between_failures, double detection, double restart);
// The same of a job; none where that is another one: with other failures, checkpoints written beside, planned
// interruptions, nodes that are waited for, or another policy.
std::optional<double> expected_share(const LongJob& job);

// (1 - (u + tau / 2) / M) / (1 + C / tau), where u is detection and restart: Kokolis et al., for few losses.
double estimated_share(double interval, double checkpoint, double between_failures, double recovery);
double estimated_share(const LongJob& job);

// M of a job; infinite where nothing fails.
double seconds_between_failures(const LongJob& job);

}  // namespace sim::goodput
