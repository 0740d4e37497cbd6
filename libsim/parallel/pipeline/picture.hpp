// These functions show a pipeline schedule as text for a terminal.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

namespace sim::parallel {

// One row per stage, time from left to right: F0 is the forward of micro-batch 0, B0 its backward, W0 the gradient of
// its weights if backward is split (B is then that of the input); F0b is in chunk b, the second. "." is idle. A unit of
// time is a forward; B takes two units, or B and W one each. Hops take no time. Below: each stage's maximum of
// activations in flight, and the bubble.
// Plain ASCII; long schedules are broken into blocks of at most `columns` columns.
// Throws ProgramError, like check_schedule, for invalid schedules.
std::string show_schedule(const PipelineShape& shape, const PipelineSteps& steps, int columns = 120);

// "stage 0: F0 F1 B0 B1", one line per stage, in the order of the steps. A pair is "F4a&B0b".
std::string list_schedule(const PipelineShape& shape, const PipelineSteps& steps);

}  // namespace sim::parallel
