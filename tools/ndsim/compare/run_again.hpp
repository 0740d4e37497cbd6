// A result of --json names its run so completely that the run can be done again: this function does, for its timeline,
// which no result holds.
#pragma once

#include "libsim/report/timeline.hpp"
#include "tools/ndsim/compare/compared_run.hpp"

namespace sim::tools {

// Files that the run read are read again. A scenario runs as the executable beside this one, on fibers; the others
// here. Throws UsageError, one line, which begins with the result's file: it does not say how it was run, or that
// cannot be done here, or the timeline is another one.
report::Timeline run_again(const ComparedRun& run);

// The timeline of a scenario's run from the trace that it wrote, with what its result says of it. Throws UsageError.
report::Timeline timeline_of_run(const ComparedRun& run, const std::string& trace);

}  // namespace sim::tools
