// Direct messages: every chunk goes straight to whom it is for.
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
// ceil((n-1)/c), where all come together, and but for the acknowledgements of a gather: ceil((n-1)/c) a.
// Source: Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005): pairwise exchange; linear gather and scatter.
#pragma once

#include "libsim/collectives/schedule.hpp"

namespace sim {

// Begins with chunk i at member i, ends with all chunks at the root, which takes them in the order of the members.
Schedule direct_gather(int members, int root, int channels = 1);

// Begins with all chunks at the root, which sends them in the order of the members; ends with chunk i at member i.
Schedule direct_scatter(int members, int root, int channels = 1);

// Every member sends its own chunk to every other: in step k to the one k+1 further on.
Schedule direct_all_gather(int members, int channels = 1);

// Every member sends every other its part of that one's chunk, in the same steps; each adds up its own.
Schedule direct_reduce_scatter(int members, int channels = 1);

// Chunk j of member i becomes chunk i of member j, in the same steps.
Schedule direct_all_to_all(int members, int channels = 1);

// Every member sends its whole array to every other, in the same steps, and adds them all up itself.
Schedule direct_all_reduce(int members, int channels = 1);

}  // namespace sim
