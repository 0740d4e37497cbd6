// Max-min fair rates of flows over shared links, all of them at once.
//
// Progressive filling: all rates grow together until a link is full; the flows on it keep their rate, the others grow
// on. In each round the least level  remaining / flows that still grow  over all links; every flow on a link of exactly
// that level gets it, and each link loses level * (its flows that got it). No order of links or flows enters, so that
// the rates are the same, bit by bit, however either is numbered. A link's level never falls: rounding cannot make it.
// Cost: O(rounds * links + flows * route), rounds <= links. FlowNetwork solves only what changed, and gets these rates.
// Source: Bertsekas & Gallager, Data Networks (1992), section 6.5.2.
#pragma once

#include "libsim/network/topology.hpp"

#include <span>
#include <vector>

namespace sim {

// One rate per route, in bytes per second; infinite for an empty one.
// Requires: bandwidths > 0; routes of links that exist, none twice.
std::vector<double> max_min_rates(std::span<const double> bytes_per_second,
                                  std::span<const std::vector<LinkId>> routes);

}  // namespace sim
