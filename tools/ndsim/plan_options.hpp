// What was typed after `ndsim plan`, and what it means.
#pragma once

#include "libsim/planning/search/search.hpp"
#include "libsim/planning/training_options.hpp"

#include <string>
#include <vector>

namespace sim::scenarios {

struct PlanCommandOptions {
    TrainingOptions training;  // all but the axes
    PlanSpace axes;            // as they were said
    std::string recompute;
    std::string schedule;
    std::string objective = "time";
    int top = 10;
    int jobs = 0;  // 0: as many as cores
    bool exhaustive = false;
    bool json = false;
    std::string csv;
    std::string svg;
};

// Those of `ndsim train`, with lists for the axes.
std::vector<OptionRow> option_rows(PlanCommandOptions& options);

// Throws UsageError. `told`: what was not said and how it was derived.
PlanQuestion question_of(const PlanCommandOptions& options, std::vector<std::string>& told);

}  // namespace sim::scenarios
