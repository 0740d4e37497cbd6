// The ring that a channel of a schedule goes around: whether every member sends one chunk to the same neighbour in
// every step, and who that is.
#pragma once

#include "libsim/collectives/schedule.hpp"

#include <vector>

namespace sim {

// The members in the order of the ring, from member 0; empty if the channel goes around no ring.
// Cost: O(members), for the schedules named ring; others are not looked at.
std::vector<int> ring_of(const Schedule& schedule, int channel);

}  // namespace sim
