// The outcome for a reader: what ran, where each rank's time went, and why N ranks are not N times as fast.
#pragma once

#include "scenarios/report/outcome.hpp"

#include <string>

namespace sim::scenarios {

std::string summary(const Outcome& outcome);

}  // namespace sim::scenarios
