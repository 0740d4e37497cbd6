// These options say how often a training hands over its state, and what happens after a fault.
#pragma once

#include "libsim/config/option_row.hpp"
#include "scenarios/options/options.hpp"

#include <vector>

namespace sim::scenarios {

void add_recovery(Options& options, std::vector<config::OptionRow>& rows);

// Fills in what follows from what was said. Throws UsageError for options that need others, or another mesh.
void settle_recovery(const command_line::Settings& settings, Options& options);

}  // namespace sim::scenarios
