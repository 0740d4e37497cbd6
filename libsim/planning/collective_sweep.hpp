// A sweep times collectives of several sizes by several methods, each alone on the cluster and started by all ranks at
// 0.
#pragma once

#include "libsim/collectives/time/fastest_algorithm.hpp"
#include "libsim/planning/collective_case.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::planning {

struct TimedMethod {
    std::string name;  // of the algorithm, with what was chosen about it
    CollectiveCase what;
    CollectiveTime time;
    std::optional<std::int64_t> wrong;  // numbers, of all ranks; none: it was not carried out with numbers

    double seconds() const { return sim::seconds(time.end()); }
    double algorithm_bandwidth() const;  // bytes/s; 0 where it takes no time
    double bus_bandwidth() const { return algorithm_bandwidth() * what.bus_factor(); }
};

// One size.
struct SweepRow {
    std::vector<TimedMethod> timed;         // at least one, all of the same size
    std::size_t fastest = 0;                // of equals the first
    std::vector<CandidateTime> considered;  // where the fastest was looked for: all of them

    const CollectiveCase& what() const { return timed.front().what; }
    const TimedMethod& best() const { return timed[fastest]; }
};

// A sweep has these parameters besides the sizes.
struct Sweep {
    Cluster cluster;
    CollectiveCase what;  // any size
    std::vector<AlgorithmConfig> configs;
    std::optional<Schedule> custom;  // in place of a method's
    bool only_fastest = false;
};

// The largest case of at most `bytes`; nothing where some rank would have no element.
std::optional<CollectiveCase> case_of(const CollectiveCase& what, std::int64_t bytes);

SweepRow time_of_size(const Sweep& sweep, const CollectiveCase& what);

// The schedule that the sweep carries a case out by.
Schedule schedule_for(const Sweep& sweep, const CollectiveCase& what);

}  // namespace sim::planning
