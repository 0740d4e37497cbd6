// In a ring every member communicates only with its two neighbours, and every link carries the same in every step.
//
// Cost on a uniform network, n members, S bytes, L latency (both ends together), B bandwidth:
//   reduce-scatter, all-gather   (n-1) (L + ceil(S/n) / B)
//   all-reduce                 2 (n-1) (L + ceil(S/n) / B)
//   broadcast, reduce          2 (n-1) (L + ceil(S/n) / B) from n = 3 on: n chunks flow down a chain of n-1 links
// In k pieces instead of n, a broadcast or reduce takes (n-2+k) (L + ceil(S/k) / B), from n = 3 and k = 2 on.
// In c channels, each with its c-th of every chunk, ceil(S/n) becomes ceil(S/(n c)). With `inner` = k ranks of a node
// each of k channels leaves a node by another GPU (ring_order.hpp): where these have network cards of their own, k
// times the bandwidth between nodes. Steps, messages and bytes are the same. Each member sends (n-1)/n S, or 2 (n-1)/n
// S: the fewest bytes an all-reduce can do with. In a broadcast or reduce each but the last of the chain sends S.
// Source: Patarasuk & Yuan, JPDC 69 (2009).
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// Supports broadcast, all-gather, reduce-scatter, all-reduce and reduce. A broadcast is a pipeline down the ring, from
// the root to its left neighbour, one chunk a step; a reduce is its mirror, from the root's right neighbour to the
// root, each member adding its own.
Schedule ring_schedule(const ScheduleRequest& request);

// The messages of a member of a ring in one of its steps. Requires: an all-reduce, reduce-scatter or all-gather.
Step ring_step(CollectiveKind kind, int members, int member, int step);

}  // namespace sim::collectives
