// Every option of a training run, once. The command line and --config read the same table.
#pragma once

#include "libsim/config/option_row.hpp"
#include "scenarios/options/options.hpp"

#include <vector>

namespace sim::scenarios {

// Of what `scenario` has; the rows set `options`. Without --config, --help and --version, which are the command line's
// own.
std::vector<config::OptionRow> option_table(const Scenario& scenario, Options& options);

}  // namespace sim::scenarios
