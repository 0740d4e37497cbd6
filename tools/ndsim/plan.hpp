// `ndsim plan`: its options, and the report that they ask for. The strategies of `ndsim explain` search by it, too.
#pragma once

#include "libsim/predict/training_options.hpp"
#include "libsim/search/report.hpp"
#include "libsim/search/search.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sim::tools {

struct PlanOptions {
    predict::TrainingOptions training;  // all but the axes
    search::PlanSpace axes;             // as they were given
    std::string recompute;
    std::string schedule;
    std::string objective = "time";
    std::string list = "pareto";
    int top = 10;
    int jobs = 0;  // 0: as many as cores
    bool exhaustive = false;
};

// Those of `ndsim train`, with lists for the axes.
std::vector<config::OptionRow> plan_rows(PlanOptions& options);

// Throws UsageError. `notes`: the options that were left out and how they were derived.
search::PlanQuestion question_of(const PlanOptions& options, std::vector<std::string>& notes);

// As in search::SearchOptions.
struct PlanWatch {
    std::function<void(std::size_t done, std::size_t all, const char* what)> on_progress = nullptr;
    std::function<bool()> should_stop = nullptr;  // true: the report holds what has been found so far
};

// All layouts looked at, and the best ones simulated; if none fits, what would. Throws UsageError.
search::PlanReport plan_report(const PlanOptions& options, const PlanWatch& watch);

}  // namespace sim::tools
