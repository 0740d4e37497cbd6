// The ring reader computes the time of a ring from its schedule in closed form (ring_time.hpp), also where its links
// differ, and where some members' sends are still in progress, which only delays the first step.
#pragma once

#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// The members in the order in which a channel goes around them, from member 0; empty if it goes around no ring.
std::vector<int> ring_of(const Schedule& schedule, int channel);

// As read_time(), of one channel. False: it goes around no ring, or walking its steps is less work; then nothing has
// changed.
bool read_ring(const Schedule& schedule, int channel, const LinkCosts& costs, std::vector<MemberClock>& members);

}  // namespace sim::collectives
