// Sums over all spans of a run, as a page shows them in tables: by label, by pair of ranks, and by rank.
#pragma once

#include "libsim/report/timeline.hpp"

#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace sim::report {

// All ops of one kind and label.
struct LabelSum {
    std::int64_t count = 0;
    std::int64_t amount = 0;
    Duration time{0};
    Duration idle{0};
};
// Logs and allocations take no time and are left out. Labels of the same work are summed under it. A computation's time
// excludes the collectives inside it, which have their own rows.
std::map<std::tuple<OpKind, std::string_view, Measure>, LabelSum> sums_by_label(const Timeline& timeline);

// The messages from one rank to another.
struct PairSum {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    std::int64_t billionths = 0;  // billionths of units
};
std::map<std::pair<int, int>, PairSum> sums_by_pair(const Timeline& timeline);

// The totals of the timeline. If it has none, they come from its account; if it has no account either, from the spans:
// time with a computation, other time with communication minus its waiting, and the rest, which add up to the end.
std::vector<trace::RankTotals> totals_of(const Timeline& timeline);

}  // namespace sim::report
