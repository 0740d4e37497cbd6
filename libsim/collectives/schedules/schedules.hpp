// These functions build the schedules of the collective algorithms. The .cpp file of each begins with its cost and its
// source.
//
// A new algorithm is a file, a declaration here and a row in algorithms.cpp
// (docs/how-to/add-a-collective-algorithm.md).
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// Supports broadcast, all-gather, reduce-scatter, all-reduce and reduce. A broadcast is a pipeline down the ring, from
// the root to its left neighbour, one chunk per step; a reduce is its mirror image, from the root's right neighbour to
// the root, each member adding its own.
Schedule ring_schedule(const ScheduleRequest& request);
// The messages of a member of a ring in one of its steps. Requires: an all-reduce, reduce-scatter or all-gather.
Step ring_step(CollectiveKind kind, int members, int member, int step);

// Supports all-reduce, reduce-scatter and all-gather.
Schedule bidirectional_ring_schedule(const ScheduleRequest& request);

// Supports broadcast, all-reduce, reduce, gather and scatter. A reduce adds up in the order of the rounds: the array of
// the next member, of the next two, four, …
Schedule binomial_tree_schedule(const ScheduleRequest& request);
// The peers of a member in one round, by distance from the root, which is 0; -1: none.
struct Peers {
    int to = -1;
    int from = -1;
};
int binomial_rounds(int members);
Peers binomial_away_from_root(int members, int distance, int round);
Peers binomial_towards_root(int members, int distance, int round);

// Supports broadcast, reduce, and all-reduce, which reduces to member 0 and broadcasts from it.
Schedule double_binary_tree_schedule(const ScheduleRequest& request);

// Supports all-reduce, reduce-scatter (halving alone) and all-gather (doubling alone).
Schedule halving_doubling_schedule(const ScheduleRequest& request);

// Supports barrier, all-gather, reduce-scatter, all-reduce and all-to-all.
Schedule bruck_schedule(const ScheduleRequest& request);

// Supports gather, whose root receives the chunks in member order; scatter, whose root sends them in that order; and
// all-gather, reduce-scatter, all-to-all and all-reduce, in whose step k every member sends to the one k+1 places after
// it.
Schedule direct_schedule(const ScheduleRequest& request);

// Supports all-reduce, reduce-scatter, all-gather, broadcast and reduce. Requires: levels that divide `members`.
Schedule hierarchical_schedule(const ScheduleRequest& request);

// Supports all-reduce, summed in member order.
Schedule parameter_server_schedule(const ScheduleRequest& request);

}  // namespace sim::collectives
