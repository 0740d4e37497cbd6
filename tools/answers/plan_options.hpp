// These options are what is asked of `ndsim plan`, and their meaning.
#pragma once

#include "libsim/predict/training_options.hpp"
#include "libsim/search/search.hpp"

#include <string>
#include <vector>

namespace sim::tools {

struct PlanOptions {
    predict::TrainingOptions training;  // all but the axes
    search::PlanSpace axes;             // as they were said
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

// Throws UsageError. `told`: the options that were left out and how they were derived.
search::PlanQuestion question_of(const PlanOptions& options, std::vector<std::string>& told);

}  // namespace sim::tools
