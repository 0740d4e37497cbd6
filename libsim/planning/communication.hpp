// The collectives and messages of a step, one line per sort: how often, how large, how fast, and what of it shows.
#pragma once

#include "libsim/planning/predict.hpp"
#include "libsim/training/step/step_plan.hpp"

namespace sim::planning {

// Of a rank of the fullest stage. `prediction` has its budget already.
std::vector<CommunicationUse> communication_of(const training::StepPlan& plan, const Prediction& prediction);

}  // namespace sim::planning
