// In every round of a binomial tree, each member that has the data passes it on, so that twice as many have it.
//
// Cost on a uniform network, n members that come together, S bytes, l latency paid by a send, a acknowledgement paid by
// a receive, L = l + a, B bandwidth:
//   broadcast   ceil(log2 n) (l + S/B) + floor(log2 n) a
//   reduce      floor(log2 n) (l + S/B) + ceil(log2 n) a                at the root
//   all-reduce  (floor(log2 n) + ceil(log2 n)) (L + S/B)                reduce to member 0, then broadcast
//   gather, scatter  log2 n L + (n-1) ceil(S/n) / B                     for n a power of two; messages of 1, 2, 4, …
// It has the fewest rounds, with whole arrays, and is best for small S. n-1 messages; an all-reduce has 2 (n-1). The
// root of a broadcast sends ceil(log2 n) S, a member of a reduce S, a member of a gather the chunks of its subtree.
// Source: Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005).
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// Supports broadcast, all-reduce, reduce, gather and scatter. A reduce adds up in the order of rounds: the array from
// the next member, from the next two, four, …
Schedule binomial_tree_schedule(const ScheduleRequest& request);

// The peers of a member in one round, by distance from the root, which is 0; -1: none.
struct Peers {
    int to = -1;
    int from = -1;
};
int binomial_rounds(int members);
Peers binomial_away_from_root(int members, int distance, int round);
Peers binomial_towards_root(int members, int distance, int round);

}  // namespace sim::collectives
