// This report lists the collectives and messages of a step, one line per kind: count, size, bandwidth and exposed time.
#pragma once

#include "libsim/predict/predict.hpp"
#include "libsim/training/step/step_plan.hpp"

namespace sim::predict {

// Lists the communication of a rank on the fullest stage. `prediction` must already have its budget.
std::vector<CommunicationUse> communication_of(const training::StepPlan& plan, const Prediction& prediction);

}  // namespace sim::predict
