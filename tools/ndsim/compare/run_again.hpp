// A result of --json describes its run completely. These functions repeat the run, to get its timeline, which a result
// does not contain.
#pragma once

#include "libsim/report/timeline.hpp"
#include "tools/ndsim/compare/compared_run.hpp"

namespace sim::tools {

// Repeats the run. Files that the run read are read again. A scenario runs as the executable beside this one, on
// fibers; a prediction runs in this process. Throws UsageError, one line that begins with the result's file, if the
// result does not record its options, cannot be repeated here, or gives another timeline.
report::Timeline run_again(const ComparedRun& run);

// The timeline of a scenario's run: the spans of the trace that it wrote, the totals and profile of its result. Throws
// UsageError.
report::Timeline timeline_of_run(const ComparedRun& run, const std::string& trace);

}  // namespace sim::tools
