// The answer of `ndsim plan`: all layouts looked at, the best ones simulated; where none fits, what would.
#pragma once

#include "libsim/search/report.hpp"
#include "tools/answers/plan_options.hpp"

#include <functional>

namespace sim::tools {

// As search::SearchOptions has them.
struct PlanWatch {
    std::function<void(std::size_t done, std::size_t all, const char* what)> on_progress = nullptr;
    std::function<bool()> should_stop = nullptr;  // then the report holds what was found so far
};

// Throws UsageError.
search::PlanReport plan_report(const PlanOptions& options, const PlanWatch& watch);

}  // namespace sim::tools
