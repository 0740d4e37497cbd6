// The process report says which processes a run really was, and what they used.
#pragma once

#include "ranks/launch.hpp"

#include <nlohmann/json.hpp>

namespace sim::scenarios {

// This process and those of the ranks; null of a run without processes of its own.
nlohmann::ordered_json process_report(const sim::ranks::Result& result);

}  // namespace sim::scenarios
