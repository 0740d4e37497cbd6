// How long a step takes at least, in closed form: what a search sorts and prunes by before it simulates.
#pragma once

#include "libsim/model/step/step_plan.hpp"

namespace sim::model {

// The fullest stage's computations, the bubble of its schedule, the communication that nothing can hide, and the
// update. Messages between stages are left out. Cost: linear in the stages.
Duration estimated_step(const StepPlan& plan);

}  // namespace sim::model
