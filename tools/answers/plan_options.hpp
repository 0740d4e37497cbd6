// These options are what is asked of `ndsim plan`, and their meaning.
#pragma once

#include "libsim/planning/search/search.hpp"
#include "libsim/planning/training_options.hpp"

#include <string>
#include <vector>

namespace sim::tools {

struct PlanOptions {
    planning::TrainingOptions training;  // all but the axes
    planning::PlanSpace axes;            // as they were said
    std::string recompute;
    std::string schedule;
    std::string objective = "time";
    int top = 10;
    int jobs = 0;  // 0: as many as cores
    bool exhaustive = false;
};

// Those of `ndsim train`, with lists for the axes.
std::vector<config::OptionRow> plan_rows(PlanOptions& options);

// Throws UsageError. `told`: the options that were left out and how they were derived.
planning::PlanQuestion question_of(const PlanOptions& options, std::vector<std::string>& told);

}  // namespace sim::tools
