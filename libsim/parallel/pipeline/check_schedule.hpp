// This check verifies a pipeline schedule: every stage takes every micro-batch through every chunk once forward and
// once backward (whole, or the input's gradient and later the weights'), and the stages do not deadlock.
//
// Cost: linear in the steps.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

namespace sim::parallel {

// Throws ProgramError, naming the first wrong step, or the stages that wait for each other and for what.
void check_schedule(const PipelineShape& shape, const PipelineSteps& steps);

}  // namespace sim::parallel
