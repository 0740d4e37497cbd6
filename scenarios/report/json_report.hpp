// The JSON report is the outcome as one JSON object, for programs: it has the keys and units that --json promises.
#pragma once

#include "scenarios/report/outcome.hpp"

#include <string>

namespace sim::scenarios {

std::string json_report(const Outcome& outcome);

}  // namespace sim::scenarios
