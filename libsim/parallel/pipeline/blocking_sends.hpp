// This check determines whether a schedule still runs if every send blocks until its receive is posted, as in NCCL
// point-to-point messages.
//
// GPipe does. 1F1B does not: a stage sends forward while the next one sends back. That is why frameworks send and
// receive in one call or, like run_pipeline, asynchronously.
// Model: a stage's sends and receives, one for each hop, in the order of its steps: a step receives, computes, sends. A
// send and its receive end together, once both have begun. Cost: linear in the steps.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

namespace sim::parallel {

// Empty if the schedule completes; otherwise the stages that wait for each other, one per line, with the step of each.
// Throws ProgramError, like check_schedule, for invalid schedules.
std::optional<std::string> blocking_sends_deadlock(const PipelineShape& shape, const PipelineSteps& steps);

}  // namespace sim::parallel
