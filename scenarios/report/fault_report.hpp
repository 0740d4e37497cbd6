// The fault report is what a run prints with --json in which a rank died because --fault asked for it.
#pragma once

#include "scenarios/options/options.hpp"

#include <string>

namespace sim::scenarios {

// One object on one line. Requires: the run ended with a fault that was asked for.
std::string json_of_fault(const std::string& scenario, const Options& options, const sim::ranks::Result& result);

}  // namespace sim::scenarios
