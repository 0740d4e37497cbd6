// This table lists every option of a training run once. The command line and --config read the same table.
#pragma once

#include "libsim/config/option_row.hpp"
#include "scenarios/options/options.hpp"

#include <vector>

namespace sim::scenarios {

// The options that `scenario` has; the rows set `options`. --config, --help and --version are left out: they are the
// command line's own.
std::vector<config::OptionRow> option_table(const Scenario& scenario, Options& options);

}  // namespace sim::scenarios
