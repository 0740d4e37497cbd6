// `ndsim explain` with the options of ndsim train explains the step that ndsim train predicts.
#pragma once

#include "libsim/explain/explanation.hpp"
#include "libsim/report/timeline.hpp"
#include "tools/ndsim/explain/options.hpp"

namespace sim::tools {

struct ExplainedTraining {
    explain::Explanation explanation;
    report::Timeline timeline;  // of the step, if requested
    std::string misfit;         // one line if it does not fit into memory; else empty
};

// Throws UsageError. With --unfold the many spans of every rank are kept only if the timeline is wanted.
ExplainedTraining explained_training(const ExplainOptions& options, bool wants_timeline);

}  // namespace sim::tools
