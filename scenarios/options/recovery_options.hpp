// These options set how often a training checkpoints its state, and the reaction to a fault.
#pragma once

#include "libsim/config/option_row.hpp"
#include "scenarios/options/options.hpp"

#include <vector>

namespace sim::scenarios {

void add_recovery(Options& options, std::vector<config::OptionRow>& rows);

// Derives the settings that were not given. Throws UsageError for options that need others, or another mesh.
void settle_recovery(const command_line::Settings& settings, Options& options);

}  // namespace sim::scenarios
