// This function compares two runs: which parts of the time make the difference, what was asked for differently, and
// the cause in one sentence.
#pragma once

#include "libsim/report/comparison.hpp"
#include "tools/ndsim/compared_run.hpp"

namespace sim::tools {

// Throws UsageError where one is a scenario and the other a prediction.
report::Comparison compared(const ComparedRun& a, const ComparedRun& b);

}  // namespace sim::tools
