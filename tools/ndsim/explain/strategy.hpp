// A strategy says which layouts are looked at: those of data parallelism alone, of tensor parallelism, of a pipeline,
// or all of them. The best of these is found by the search of `ndsim plan`.
#pragma once

#include "libsim/search/search.hpp"
#include "tools/ndsim/explain/options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::tools {

// Those that --strategy takes.
std::vector<std::string> strategy_names();
// "tensor parallelism": what it spreads, in words.
const char* title_of(Strategy strategy);

// The options that a strategy would choose and that were given.
std::vector<std::string> layout_options_of(const predict::TrainingOptions& options);

struct LayoutQuestion {
    Strategy strategy = Strategy::hybrid;  // neither automatic nor given
    std::vector<int> gpus;                 // how many: one of these
    std::vector<int> zero = {};            // empty: any
    Goal goal = Goal::time;
};

// The best layout of a strategy.
struct FoundLayout {
    Strategy strategy = Strategy::hybrid;
    std::optional<search::PlanRow> row;    // where one fits
    std::optional<search::PlanMiss> miss;  // where none does: the one that needs least
    search::PlanQuestion question;         // that the search answered
    std::size_t looked_at = 0;
    std::string why_not;  // where there is no layout at all

    bool exists() const { return row.has_value() || miss.has_value(); }
    const search::PlanPoint& point() const { return row ? row->point : miss->point; }
};

// What was given wins over the strategy: --tp 4 stays 4. Requires: `options` is completed. Throws UsageError.
FoundLayout best_layout(const ExplainOptions& options, const LayoutQuestion& question);

// `options` with the layout that was found, as if its options had been typed. Requires: there is one.
void take_layout(ExplainOptions& options, const FoundLayout& found);

}  // namespace sim::tools
