// Direct messages: every chunk goes straight to whom it is for.
//
// n members, S bytes of the whole array, l latency paid by a send, a acknowledgement paid by a receive, L = l + a,
// B bandwidth. All come together; a link carries one message at a time in each direction, and a receiver takes in any
// number side by side: the uniform network has no incast.
//   gather            l + ceil(S/n) / B + (n-1) a        at the root; the others are done at l + ceil(S/n) / B
//   scatter    (n-1) (l + ceil(S/n) / B) + a             at the last member; the root is done a earlier
//   all-to-all (n-1) (L + ceil(S/n) / B)
//   all-reduce (n-1) (L + S / B)
// Sent: by each but the root S/n; by the root (n-1)/n S; by each (n-1)/n S; by each (n-1) S.
// Source: Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005): pairwise exchange; linear gather and scatter.
#pragma once

#include "libsim/collectives/schedule.hpp"

namespace sim {

// Begins with chunk i at member i, ends with all chunks at the root, which takes them in the order of the members.
Schedule direct_gather(int members, int root);

// Begins with all chunks at the root, which sends them in the order of the members; ends with chunk i at member i.
Schedule direct_scatter(int members, int root);

// Chunk j of member i becomes chunk i of member j. In step k every member sends to the one k+1 further on.
Schedule direct_all_to_all(int members);

// Every member sends its whole array to every other, in the same steps, and adds them all up itself.
Schedule direct_all_reduce(int members);

}  // namespace sim
