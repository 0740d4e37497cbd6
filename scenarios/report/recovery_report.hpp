// The recovery report says what checkpoints and faults have cost a run that went on after them.
#pragma once

#include "libsim/report/record.hpp"
#include "scenarios/report/outcome.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sim::scenarios {

// Whether there is anything to say: checkpoints were taken, or there was more than one life.
bool has_recovery(const Outcome& outcome);

// A name and what is said of it, a line each.
std::vector<std::pair<std::string, std::string>> recovery_lines(const Outcome& outcome);

// Requires, of an outcome: there is something to say.
const report::Record<Outcome>& recovery_record();

}  // namespace sim::scenarios
