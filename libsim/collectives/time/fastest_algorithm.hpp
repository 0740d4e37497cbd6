// fastest_algorithm() finds the configuration that carries out a collective in the least time, with no other traffic.
//
// Each configuration is timed (collective_time.hpp), except those that are provably slower: no member ends before it
// has sent its messages on a channel one after another, each of which takes at least its time alone. If that exceeds
// the best time so far, the configuration is pruned. Cost: that of timing each configuration; for pruned ones, their
// steps.
#pragma once

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/collectives/time/collective_time.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

struct CandidateTime {
    AlgorithmConfig config;
    Duration at_least{0};                // lower bound from the members' own sends
    std::optional<CollectiveTime> time;  // of the last member; none: it cannot be the fastest
};

struct Comparison {
    std::vector<CandidateTime> all;  // in the order of the configurations
    std::size_t fastest = 0;         // the first of equals

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

// Requires: at least one configuration, each valid for the kind and number of members.
Comparison fastest_algorithm(const ComparisonQuestion& question, std::span<const AlgorithmConfig> configs);

// A lower bound on the time: the largest sum, over some members, of their own messages.
Duration least_time(const CollectiveQuestion& question);

// The facts about a cluster on which the choice depends: the resources that channels share, and the GPUs per node (0:
// no nodes, or unknown).
Wiring wiring_of(const Cluster& cluster);
int gpus_per_node(const Cluster& cluster);

}  // namespace sim::collectives
