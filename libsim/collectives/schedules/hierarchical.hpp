// The hierarchical algorithm communicates within the nodes first, where links are fast, and only the remainder between
// them.
//
// Groups of `inner` members form nodes; of `middle` nodes, if there are three levels, a pod; the levels have g, m and h
// = n/(g m) places, m = 1 for two levels. Member i is place i mod g of its node. Each level is a ring (broadcast and
// reduce: a binomial tree) of the members that have the same places in the others.
// Cost on a uniform network, n members, S bytes, L latency (both ends together), B bandwidth, c = ceil(S/n); on a
// network of several levels each term has its own L and B:
//   reduce-scatter, all-gather   (g-1) (L + n/g c / B) + (m-1) (L + n/(g m) c / B) + (h-1) (L + c / B)
//   all-reduce                 2 ((g-1) (L + n/g c / B) + (m-1) (L + n/(g m) c / B) + (h-1) (L + c / B))
//   broadcast  R (l + S/B) + r a  with R the sum of ceil(log2 ·), r of floor(log2 ·) of h, m and g; l paid by a send, a
//              by a receive, L = l + a; reduce  r (l + S/B) + R a, at its root                  powers of two: both the
//              same
// Sent by each: (n-1) c, or 2 (n-1) c, as in a ring, of which (h-1) c, or 2 (h-1) c, leave the pod, in h-1 steps.
// It suits many nodes: their number, not that of the ranks, counts in the latency between them.
// Source: Goyal et al., Accurate, large minibatch SGD (2017), section 4; Mikami et al., Massively distributed SGD
// (2018): rings in two dimensions.
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// Supports all-reduce, reduce-scatter, all-gather, broadcast and reduce. Requires: levels that divide `members`.
Schedule hierarchical_schedule(const ScheduleRequest& request);

}  // namespace sim::collectives
