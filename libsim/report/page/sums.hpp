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
// Logs and allocations take no time and are left out. The labels are those of the timeline, or of the work that several
// labels are of. A computation's time is without the collectives inside it, which are listed themselves.
std::map<std::tuple<OpKind, std::string_view, Measure>, LabelSum> sums_by_label(const Timeline& timeline);

// What one rank sends to another.
struct PairSum {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    std::int64_t billionths = 0;  // of units
};
std::map<std::pair<int, int>, PairSum> sums_by_pair(const Timeline& timeline);

// The totals of the timeline. Where it has none, its account says what is communication and what waits for others;
// where it has none either, they are found in the spans: time with a computation, other time with communication less
// its waiting, and the rest, which add up to the end.
std::vector<trace::RankTotals> totals_of(const Timeline& timeline);

}  // namespace sim::report
