// The answer of `ndsim train`: a predicted step, what it costs, and what would change it.
#pragma once

#include "libsim/explain/train/step_report.hpp"
#include "tools/answers/train_step.hpp"

#include <vector>

namespace sim::tools {

// `spans`: those that on_span was handed. What was given is the caller's to add.
explain::StepReport train_report(const TrainOptions& options, const TrainStep& step, const std::vector<Span>& spans);

}  // namespace sim::tools
