// A table of several predicted steps: where the time of each goes, and the memory that it takes.
#pragma once

#include "libsim/report/record.hpp"
#include "tools/ndsim/compare/compared_run.hpp"

#include <string>
#include <vector>

namespace sim::tools {

std::string text_of_steps(const std::vector<ComparedRun>& runs);
const report::Record<ComparedRun>& step_row_record();

}  // namespace sim::tools
