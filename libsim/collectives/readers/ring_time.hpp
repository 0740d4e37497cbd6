// ring_ends() computes in closed form when the members of a ring finish, even if its links differ and its members
// arrive late.
//
// Place i sends to i+1 and receives from i-1 in every step:
//   t_i(s+1) = max(t_i(s) + send_i, t_{i-1}(s) + send_{i-1}) + acknowledgement_i
// A delay propagates: in each step it stays at its place or moves to the next one. Of the paths that lead from place
// i-k to place i in s steps, k of them moves, the longest is the one that stays where staying costs most:
//   t_i(s) = max over k in 0 … min(s, 2n-1) of
//            t_{i-k}(0) + the k moves + (s - k) max over j in i-k … i of (send_j + acknowledgement_j)
// A second lap around the ring never pays: it costs no more than as many stays at its most expensive place.
// Cost: O(n times the number of different values of send + acknowledgement), whatever the number of steps.
#pragma once

#include "libsim/units.hpp"

#include <optional>
#include <span>
#include <vector>

namespace sim::collectives {

// The cost of each step at place i.
struct RingPlace {
    Duration send{0};             // to send to i+1
    Duration acknowledgement{0};  // to receive from i-1
};

// The end of each place. Empty if an intermediate sum might leave the range of simulated time. Requires: as many
// arrivals as places; steps >= 0.
std::optional<std::vector<Time>> ring_ends(std::span<const RingPlace> places, std::span<const Time> arrivals,
                                           std::int64_t steps);

// The number of different values of send + acknowledgement.
std::int64_t different_stays(std::span<const RingPlace> places);

}  // namespace sim::collectives
