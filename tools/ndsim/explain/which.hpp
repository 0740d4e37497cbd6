// `ndsim explain --which` answers which parallelism to take: the facts that decide, the best layout of each, simulated,
// and what every alternative would cost.
#pragma once

#include "tools/ndsim/explain/options.hpp"
#include "tools/ndsim/explain/strategy.hpp"

#include <string>
#include <vector>

namespace sim::tools {

// One way to spread the training, and the best of its layouts.
struct Alternative {
    const char* title = "";  // "data parallelism"
    FoundLayout found;
    std::string command;  // that simulates it: "ndsim train …"
};

struct Answered {
    explain::Explanation explanation;
    bool fits = false;  // one of them does
};

// In the order of the decision tree, simple ones first. Requires: `options` is completed.
std::vector<Alternative> alternatives_of(const ExplainOptions& options);
// The best of them for the goal; of equal ones the simplest. Null where none fits.
const Alternative* best_of(const std::vector<Alternative>& alternatives, Goal goal);

// Throws UsageError.
Answered answer_which(const ExplainOptions& options);

// The model, GPUs, machine and goal that were not given, asked for in a terminal. An empty answer takes the usual one;
// no answer at all ends the questions.
void ask_what_is_missing(ExplainOptions& options);

}  // namespace sim::tools
