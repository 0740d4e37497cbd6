// Bruck's patterns: in round k everybody talks to the member 2^k further on, whatever their number.
//
// Cost on a uniform network, n members, S bytes, L latency (both ends together), B bandwidth, c = ceil(S/n),
// R = ceil(log2 n), b(k) how many of the numbers below n have bit k set:
//   all-gather, reduce-scatter   R L + (n-1) c / B
//   all-reduce                 2 R L + 2 (n-1) c / B
//   all-to-all                   R L + (b(0) + … + b(R-1)) c / B           n/2 log2 n chunks where n is a power of two
// Fewest steps; an all-gather's bytes are the fewest, too, whatever n is. An all-to-all sends every chunk once for each
// bit set of its distance, about log2 n / 2 times: for small S.
// Sent by each: (n-1) c; 2 (n-1) c; (b(0) + … + b(R-1)) c.
// Source: Bruck, Ho, Kipnis, Upfal & Weathersby, IEEE TPDS 8 (1997); the all-gather run backwards as a reduce-scatter:
// Träff, Optimal, non-pipelined reduce-scatter and allreduce algorithms (2024).
#pragma once

#include "libsim/collectives/schedule.hpp"

namespace sim {

Schedule bruck_all_gather(int members, int channels = 1);
Schedule bruck_reduce_scatter(int members, int channels = 1);
Schedule bruck_all_reduce(int members, int channels = 1);
Schedule bruck_all_to_all(int members);

}  // namespace sim
