// The options of `ndsim plan` and its report. The strategies of `ndsim explain` search with it, too.
#pragma once

#include "libsim/predict/training_options.hpp"
#include "libsim/search/plan_report.hpp"
#include "libsim/search/search.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sim::tools {

struct PlanOptions {
    predict::TrainingOptions training;  // everything except the axes
    search::PlanSpace axes;             // as given
    std::string recompute;
    std::string schedule;
    std::string objective;  // empty: time
    std::string by;         // a search::PlanKey; empty: none
    std::string list;       // empty: pareto, or best if there is a key
    int top = 10;
    int jobs = 0;  // 0: the number of cores
    bool exhaustive = false;
};

// The options of `ndsim train` with lists for the axes, and those of the search.
std::vector<config::OptionRow> plan_rows(PlanOptions& options);

// The question that the options ask. `notes` receives the omitted options and how they were derived. Throws UsageError.
search::PlanQuestion question_of(const PlanOptions& options, std::vector<std::string>& notes);

// Callbacks, as in search::SearchOptions.
struct PlanWatch {
    std::function<void(std::size_t done, std::size_t all, const char* what)> on_progress = nullptr;
    std::function<bool()> should_stop = nullptr;  // true: the report holds what has been found so far
};

// Searches all layouts and simulates the best ones; if none fits, reports what would. Throws UsageError.
search::PlanReport plan_report(const PlanOptions& options, const PlanWatch& watch);

}  // namespace sim::tools
