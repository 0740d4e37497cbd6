// The estimate is a closed-form lower bound on the time of a step: a search sorts and prunes by it before it simulates.
#pragma once

#include "libsim/training/step/step_plan.hpp"

namespace sim::training {

// Read from the pieces of every stage (stage_step.hpp) and the formulas of the schedule: the longest stage's
// computations, what it waits for of the stages around it, the communication that nothing can hide, and the update.
// Messages between stages are left out, and so are the embedding's gradient and the norm. Never longer than the step,
// except for schedules whose steps overlap. Cost: linear in the stages' buckets.
Duration estimated_step(const StepPlan& plan);

}  // namespace sim::training
