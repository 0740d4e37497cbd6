// Bisection bandwidth is the greatest flow, and so the least cut, from one half of the GPUs to the other, by any
// routes.
//
// The halves are those of rank order: the first floor(n/2) GPUs and the others. Nodes, and rings cut at the seam, are
// halved in the natural place; a topology whose narrowest cut lies elsewhere has less bisection bandwidth than this
// returns.
// Cost: a maximum flow (Dinic), which on layered networks takes few rounds of O(links) each.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topology.hpp"

namespace sim::network {

Bandwidth bandwidth_between_halves(const Topology& topology);

}  // namespace sim::network
