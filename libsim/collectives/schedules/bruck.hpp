// In round k of Bruck's patterns every member communicates with the member 2^k further on, for any number of members.
//
// Cost on a uniform network, n members, S bytes, L latency (both ends together), B bandwidth, c = ceil(S/n),
// R = ceil(log2 n), b(k) how many of the numbers below n have bit k set:
//   all-gather, reduce-scatter   R L + (n-1) c / B
//   all-reduce                 2 R L + 2 (n-1) c / B
//   barrier                      R L                                       the same pattern, of empty messages
//   all-to-all                   R L + (b(0) + … + b(R-1)) c / B           n/2 log2 n chunks where n is a power of two
// They have the fewest steps; an all-gather's bytes are the fewest, too, for any n. An all-to-all sends every chunk
// once for each bit set of its distance, about log2 n / 2 times, so it is best for small S.
// Sent by each: (n-1) c; 2 (n-1) c; (b(0) + … + b(R-1)) c.
// A barrier by this pattern is the dissemination barrier: no member ends before every member has begun.
// Source: Hensgen, Finkel & Manber, Int. J. Parallel Programming 17 (1988); Bruck, Ho, Kipnis, Upfal & Weathersby, IEEE
// TPDS 8 (1997); the all-gather run backwards as a reduce-scatter: Träff, Optimal, non-pipelined reduce-scatter and
// allreduce algorithms (2024).
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// Supports barrier, all-gather, reduce-scatter, all-reduce and all-to-all.
Schedule bruck_schedule(const ScheduleRequest& request);

}  // namespace sim::collectives
