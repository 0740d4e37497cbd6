// In recursive halving and doubling, pairs exchange half of the data they have left, then twice the data they have.
//
// Cost on a uniform network, n members that come together, S bytes, L latency (both ends together), B bandwidth, p the
// largest power of two up to n:
//   reduce-scatter, all-gather   log2 n L + (n-1) ceil(S/n) / B                     n = p
//   all-reduce                 2 log2 p L + 2 (p-1) ceil(S/p) / B                   n = p
//                              the same + 2 (L + p ceil(S/p) / B)                   n > p: members 0, 2, … below
//                                                                                   2 (n-p) hand all to the next first,
//                                                                                   and get all back at the end
// Sent by each, n = p: (n-1)/n S, or 2 (n-1)/n S, as little as in a ring, in log2 n steps instead of n-1. Members send
// to all distances: in an all-reduce half of the array to the next, least to those far away; in the other two half of
// it to the member n/2 further on, so that member i's is block i.
// Source: Rabenseifner, ICCS (2004); Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005).
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// Supports all-reduce, reduce-scatter (halving alone) and all-gather (doubling alone).
Schedule halving_doubling_schedule(const ScheduleRequest& request);

}  // namespace sim::collectives
