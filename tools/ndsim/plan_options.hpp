// These options are what was typed after `ndsim plan`, and their meaning.
#pragma once

#include "libsim/planning/search/search.hpp"
#include "libsim/planning/training_options.hpp"
#include "tools/command_line/outputs.hpp"

#include <string>
#include <vector>

namespace sim::tools {

struct PlanCommandOptions {
    planning::TrainingOptions training;  // all but the axes
    planning::PlanSpace axes;            // as they were said
    std::string recompute;
    std::string schedule;
    std::string objective = "time";
    int top = 10;
    int jobs = 0;  // 0: as many as cores
    bool exhaustive = false;
    command_line::Outputs outputs;
};

// Those of `ndsim train`, with lists for the axes.
std::vector<config::OptionRow> option_rows(PlanCommandOptions& options);

// Throws UsageError. `told`: the options that were left out and how they were derived.
planning::PlanQuestion question_of(const PlanCommandOptions& options, std::vector<std::string>& told);

}  // namespace sim::tools
