// The recovery report gives the cost of checkpoints and faults of a run that continued after them.
#pragma once

#include "libsim/report/record.hpp"
#include "scenarios/report/outcome.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sim::scenarios {

// Whether there is anything to report: checkpoints were taken, or there was more than one life.
bool has_recovery(const Outcome& outcome);

// Pairs of a name and its text, one line each.
std::vector<std::pair<std::string, std::string>> recovery_lines(const Outcome& outcome);

// Requires: has_recovery(outcome).
const report::Record<Outcome>& recovery_record();

}  // namespace sim::scenarios
