// This report lists the collectives and messages of a step, one line per kind: count, size, bandwidth and exposed time.
#pragma once

#include "libsim/predict/predict.hpp"
#include "libsim/training/step/step_plan.hpp"

namespace sim::predict {

// The communication of a rank of the fullest stage. `prediction` has its budget already.
std::vector<CommunicationUse> communication_of(const training::StepPlan& plan, const Prediction& prediction);

}  // namespace sim::predict
