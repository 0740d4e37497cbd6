// How long a step takes at least, in closed form: what a search sorts and prunes by before it simulates.
#pragma once

#include "libsim/training/step/step_plan.hpp"

namespace sim::model {

// The longest stage's computations, what it waits for of the stages around it, the communication that nothing can hide,
// and the update. Messages between stages are left out. Never longer than the step, but for schedules that split the
// backward pass, whose steps overlap. Cost: linear in the stages' buckets.
Duration estimated_step(const StepPlan& plan);

}  // namespace sim::model
