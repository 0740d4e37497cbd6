// The direct algorithm sends every chunk straight to its destination.
//
// n members, S bytes of the whole array, l latency paid by a send, a acknowledgement paid by a receive, L = l + a,
// B bandwidth. All come together; a link carries one message at a time in each direction, and a receiver takes in any
// number side by side: the uniform network has no incast.
//   gather            l + ceil(S/n) / B + (n-1) a        at the root; the others are done at l + ceil(S/n) / B
//   scatter    (n-1) (l + ceil(S/n) / B) + a             at the last member; the root is done a earlier
//   all-to-all, all-gather, reduce-scatter  (n-1) (L + ceil(S/n) / B)
//   all-reduce (n-1) (L + S / B)
// Sent: by each but the root S/n; by the root (n-1)/n S; by each (n-1)/n S; by each (n-1) S.
// In c channels the n-1 messages of a member are dealt out to them, so that up to c are under way at once: n-1 becomes
// ceil((n-1)/c), where all come together, except in the acknowledgements of a gather: ceil((n-1)/c) a.
// Source: Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005): pairwise exchange; linear gather and scatter.
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// Supports gather, whose root takes the chunks in the order of the members; scatter, whose root sends them in that
// order; and all-gather, reduce-scatter, all-to-all and all-reduce, in whose step k every member sends to the one k+1
// further on.
Schedule direct_schedule(const ScheduleRequest& request);

}  // namespace sim::collectives
