// `ndsim explain` with the options of ndsim train explains the step that ndsim train predicts of them.
#pragma once

#include "libsim/explain/explanation.hpp"
#include "libsim/explain/train/step_report.hpp"
#include "libsim/report/timeline.hpp"
#include "tools/ndsim/explain/options.hpp"

namespace sim::tools {

struct ExplainedTraining {
    explain::Explanation explanation;
    report::Timeline timeline;  // of the step, where it was asked for
    std::string misfit;         // one line where it does not fit into memory
};

// Throws UsageError. Of every rank (--unfold) spans are kept only where the timeline is wanted: they are many.
ExplainedTraining explained_training(const ExplainOptions& options, bool wants_timeline);

// What the page of the step begins with, as JSON of an explanation: of the very report that is printed.
std::string verdict_of(const TrainOptions& options, const explain::StepReport& report);

}  // namespace sim::tools
