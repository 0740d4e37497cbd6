// `ndsim explain --which` recommends a parallelism: it gives the facts that decide, and simulates the best layout of
// each alternative and its cost.
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
    std::string command;  // simulates it: "ndsim train …"
};

struct Answered {
    explain::Explanation explanation;
    bool fits = false;  // some alternative fits
};

// The alternatives in the order of the decision tree, simple ones first. Requires: `options` is completed.
std::vector<Alternative> alternatives_of(const ExplainOptions& options);
// The best alternative for the goal; the simplest if several are equal. Null if none fits.
const Alternative* best_of(const std::vector<Alternative>& alternatives, Goal goal);

// Throws UsageError.
Answered answer_which(const ExplainOptions& options);

// Asks on a terminal for the model, machine, GPUs and goal that were not given. An empty answer takes the default; end
// of input ends the questions.
void ask_what_is_missing(ExplainOptions& options);

}  // namespace sim::tools
