#include "libsim/planning/collective_sweep.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sim::planning {

namespace {

std::vector<int> first_ranks(int count) {
    std::vector<int> ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

std::string name_for(const Sweep& sweep, const CollectiveCase& what) {
    return sweep.custom ? "custom" : what.send_receive ? "direct" : text_of(what.config);
}

SweepRow fastest_of(const Sweep& sweep, CollectiveCase what) {
    const std::vector<int> ranks = first_ranks(what.ranks);
    const ComparisonQuestion question{sweep.cluster, what.kind, Bytes{what.bytes()}, ranks, what.root, {}};
    Comparison contest = fastest_algorithm(question, sweep.configs);
    what.config = contest.winner().config;
    SweepRow row;
    row.timed.push_back({name_for(sweep, what), what, *contest.winner().time, {}});
    row.considered = std::move(contest.all);
    return row;
}

}  // namespace

Schedule schedule_for(const Sweep& sweep, const CollectiveCase& what) {
    return sweep.custom ? *sweep.custom : what.schedule();
}

double TimedMethod::algorithm_bandwidth() const {
    return seconds() > 0 ? static_cast<double>(what.bytes()) / seconds() : 0;
}

std::optional<CollectiveCase> case_of(const CollectiveCase& what, std::int64_t bytes) {
    CollectiveCase sized = what;
    const bool chunks = is_made_of_chunks(what.kind) && !what.send_receive;
    const std::int64_t unit = chunks ? what.ranks : 1;
    sized.elements = bytes / what.type.size / unit * unit;
    return sized.elements == 0 ? std::nullopt : std::optional(sized);
}

SweepRow time_of_size(const Sweep& sweep, const CollectiveCase& what) {
    if (sweep.only_fastest) {
        return fastest_of(sweep, what);
    }
    const std::vector<int> ranks = first_ranks(what.ranks);
    SweepRow row;
    for (const AlgorithmConfig& config : sweep.configs) {
        CollectiveCase one = what;
        one.config = config;
        const Schedule schedule = schedule_for(sweep, one);
        row.timed.push_back({name_for(sweep, one),
                             one,
                             collective_time({sweep.cluster, schedule, Bytes{one.bytes()}, ranks, {}, true}),
                             {}});
    }
    for (std::size_t i = 1; i < row.timed.size(); ++i) {
        row.fastest = row.timed[i].time.end() < row.best().time.end() ? i : row.fastest;
    }
    return row;
}

}  // namespace sim::planning
