// Which of several methods carries out a collective in the least time, where nothing else is under way.
//
// Each is given its time (collective_time.hpp), but for those that cannot win: no member ends before it has sent what
// it sends on a channel, one message after another, each at least as long as it takes alone. Where that is more than
// the best time so far, the method is not looked at further. Cost: of a method that is looked at, that of its time;
// else its steps.
#pragma once

#include "libsim/collectives/time/collective_time.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

struct CandidateTime {
    AlgorithmConfig config;
    Duration at_least{0};                // from the members' own sends
    std::optional<CollectiveTime> time;  // of the last member; none: it cannot be the fastest
};

struct Comparison {
    std::vector<CandidateTime> all;  // in the order of the methods
    std::size_t fastest = 0;         // of equals the first

    const CandidateTime& winner() const { return all[fastest]; }
};

struct ComparisonQuestion {
    const Cluster& cluster;
    CollectiveKind kind;
    Size size;
    std::span<const int> ranks;
    int root = 0;  // a member
    std::span<const Time> arrivals = {};
};

// Requires: at least one method, each one that the kind has for so many members.
Comparison fastest_algorithm(const ComparisonQuestion& question, std::span<const AlgorithmConfig> configs);

// What the method takes at least: for some members, the sum of their own messages.
Duration least_time(const CollectiveQuestion& question);

}  // namespace sim::collectives
