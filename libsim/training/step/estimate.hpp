// The estimate is a closed-form lower bound on the time of a step; a search sorts and prunes by it before simulating.
#pragma once

#include "libsim/training/step/step_plan.hpp"

namespace sim::training {

// Computed from the pieces of every stage (stage_step.hpp) and the formulas of the schedule: the longest stage's
// computation, its waits for neighbouring stages, the communication that nothing can hide, and the update. Leaves out
// messages between stages, the embedding's gradient and the norm. Never longer than the step, except for schedules
// whose steps overlap. Cost: linear in the stages' buckets.
Duration estimated_step(const StepPlan& plan);

}  // namespace sim::training
