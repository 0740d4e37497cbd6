// This table lists every option of a training run once. The command line and --config both read it.
#pragma once

#include "libsim/config/option_row.hpp"
#include "scenarios/options/options.hpp"

#include <vector>

namespace sim::scenarios {

// The options of `scenario`; the rows set `options`. --config, --help and --version are not included: they belong to
// the command line.
std::vector<config::OptionRow> option_table(const Scenario& scenario, Options& options);

}  // namespace sim::scenarios
