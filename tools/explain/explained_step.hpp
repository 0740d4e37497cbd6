// `ndsim explain` with the options of ndsim train explains the step that ndsim train predicts of them.
#pragma once

#include "libsim/planning/explain/explanation.hpp"
#include "libsim/report/timeline.hpp"
#include "tools/explain/explain_options.hpp"

namespace sim::tools {

struct ExplainedTraining {
    planning::Explanation explanation;
    report::Timeline timeline;  // of the step
    std::string misfit;         // one line where it does not fit into memory
};

// Throws UsageError.
ExplainedTraining explained_training(const ExplainOptions& options);

}  // namespace sim::tools
