// The command line of `ndsim train`, which `ndsim explain` and `ndsim compare` share.
#pragma once

#include "libsim/config/given.hpp"
#include "libsim/config/option_row.hpp"
#include "libsim/explain/step_report.hpp"

#include <string>
#include <vector>

namespace sim::tools {

// The options that change the result. They set `options`.
std::vector<config::OptionRow> train_rows(explain::StepOptions& options);

// "ndsim train --model llama3-8b …": a shell command, with the options in the order of their rows and `change`
// applied to those given.
std::string train_line(config::Given given, const predict::Change& change = {});

}  // namespace sim::tools
