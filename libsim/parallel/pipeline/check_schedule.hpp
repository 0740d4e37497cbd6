// This check verifies a pipeline schedule: every stage takes every micro-batch through every chunk once forward and
// once backward (whole, or its input and then its weights), and no stages deadlock.
//
// Cost: linear in the steps.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

namespace sim::parallel {

// Throws ProgramError that names the first step that is wrong, or the stages that wait for each other and for what.
void check_schedule(const PipelineShape& shape, const PipelineSteps& steps);

}  // namespace sim::parallel
