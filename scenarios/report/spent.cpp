#include "scenarios/report/spent.hpp"

#include <algorithm>

namespace sim::scenarios {

TimeSpent spent_by(const Outcome& outcome) {
    const std::vector<RankTotals>& ranks = outcome.result.ranks;
    TimeSpent spent;
    for (const RankTotals& totals : ranks) {
        spent.compute += seconds(totals.compute);
        spent.communication += seconds(totals.communication);
        spent.idle += seconds(totals.idle);
    }
    spent.bubble = outcome.bubble_fraction() * outcome.options.ranks * outcome.simulated_seconds();
    const auto less = [](const RankTotals& a, const RankTotals& b) { return a.compute < b.compute; };
    const auto [least, most] = std::minmax_element(ranks.begin(), ranks.end(), less);
    spent.least_compute = seconds(least->compute);
    spent.most_compute = seconds(most->compute);
    return spent;
}

}  // namespace sim::scenarios
