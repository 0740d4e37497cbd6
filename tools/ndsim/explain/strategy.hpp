// A strategy selects the layouts to consider: data parallelism alone, tensor parallelism, a pipeline, or all of them.
// The search of `ndsim plan` finds the best of these.
#pragma once

#include "libsim/search/search.hpp"
#include "tools/ndsim/explain/options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::tools {

// The values of --strategy.
std::vector<std::string> strategy_names();
// The strategy in words: "tensor parallelism".
const char* title_of(Strategy strategy);

// The given options among those that a strategy chooses.
std::vector<std::string> layout_options_of(const predict::TrainingOptions& options);

struct LayoutQuestion {
    Strategy strategy = Strategy::hybrid;  // neither automatic nor given
    std::vector<int> gpus;                 // candidate numbers of GPUs
    std::vector<int> zero = {};            // empty: any
    Goal goal = Goal::time;
};

// The best layout of a strategy.
struct FoundLayout {
    Strategy strategy = Strategy::hybrid;
    std::optional<search::PlanRow> row;    // the best layout, if one fits
    std::optional<search::PlanMiss> miss;  // if none fits: the layout that needs the least memory
    search::PlanQuestion question;         // the question of the search
    std::size_t looked_at = 0;
    std::string why_not;  // the reason if there is no layout at all

    bool exists() const { return row.has_value() || miss.has_value(); }
    const search::PlanPoint& point() const { return row ? row->point : miss->point; }
};

// Given options override the strategy: --tp 4 stays 4. Requires: `options` is completed. Throws UsageError.
FoundLayout best_layout(const ExplainOptions& options, const LayoutQuestion& question);

// Sets `options` to the found layout, as if its options had been typed. Requires: found.exists().
void take_layout(ExplainOptions& options, const FoundLayout& found);

}  // namespace sim::tools
