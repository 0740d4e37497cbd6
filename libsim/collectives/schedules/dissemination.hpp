// The dissemination barrier: in round k every member tells the one 2^k further on that it has come.
//
// Cost on a uniform network, n members, L latency (both ends together): ceil(log2 n) L. Each member sends as many
// empty messages. Source: Hensgen, Finkel & Manber, Int. J. Parallel Programming 17 (1988).
#pragma once

#include "libsim/collectives/schedule.hpp"

namespace sim {

// Nobody ends before everybody has begun.
Schedule dissemination_barrier(int members);

}  // namespace sim
