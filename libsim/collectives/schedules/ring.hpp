// The ring: every member talks to its two neighbours only, and every link carries the same in every step.
//
// Cost on a uniform network, n members, S bytes, L latency (both ends together), B bandwidth:
//   reduce-scatter, all-gather   (n-1) (L + ceil(S/n) / B)
//   all-reduce                 2 (n-1) (L + ceil(S/n) / B)
//   broadcast, reduce          2 (n-1) (L + ceil(S/n) / B) from n = 3 on: n chunks flow down a chain of n-1 links
// Each member sends (n-1)/n S, or 2 (n-1)/n S: the fewest bytes an all-reduce can do with. In a broadcast or reduce
// each but the last of the chain sends S. Source: Patarasuk & Yuan, JPDC 69 (2009).
#pragma once

#include "libsim/collectives/schedule.hpp"

namespace sim {

// Ends with the whole sum everywhere.
Schedule ring_all_reduce(int members);

// Ends with the sum of chunk i at member i.
Schedule ring_reduce_scatter(int members);

// Begins with chunk i at member i, ends with all chunks everywhere.
Schedule ring_all_gather(int members);

// A pipeline down the ring, from the root to its left neighbour, one chunk a step.
Schedule ring_broadcast(int members, int root);

// The same pipeline, from the root's right neighbour to the root, each member adding its own: the mirror of a
// broadcast.
Schedule ring_reduce(int members, int root);

}  // namespace sim
