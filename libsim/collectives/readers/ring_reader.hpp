// The ring reader computes the time of a ring from its schedule in closed form (ring_time.hpp), even if its links
// differ, and if earlier sends of some members are still in progress, which only delays the first step.
#pragma once

#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// The members in the order in which a channel visits them, from member 0; empty if it does not form a ring.
std::vector<int> ring_of(const Schedule& schedule, int channel);

// Like read_time() for one channel. False: it does not form a ring, or walking its steps is less work; nothing has
// changed.
bool read_ring(const Schedule& schedule, int channel, const LinkCosts& costs, std::vector<MemberClock>& members);

}  // namespace sim::collectives
