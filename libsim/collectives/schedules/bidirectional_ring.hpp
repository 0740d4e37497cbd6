// The bidirectional ring has two channels, one around to the right and one to the left, each with half of every chunk.
//
// Cost on a uniform network, n members, S bytes, L latency (both ends together), B bandwidth of each direction:
//   reduce-scatter, all-gather   (n-1) (L + ceil(S/(2n)) / B)
//   all-reduce                 2 (n-1) (L + ceil(S/(2n)) / B)
// Each member sends what it sends in a ring, half of it each way; half the time of a ring where cables carry both
// directions at once and the neighbours on both sides have cables of their own. In c channels there are 2c.
// Source: Jain & Sabharwal, Optimal bucket algorithms for large MPI collectives on torus interconnects, ICS (2010).
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// Supports all-reduce, reduce-scatter and all-gather.
Schedule bidirectional_ring_schedule(const ScheduleRequest& request);

}  // namespace sim::collectives
