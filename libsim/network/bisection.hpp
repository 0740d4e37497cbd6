// Bisection bandwidth is the maximum flow, which equals the minimum cut, from one half of the GPUs to the other over
// any routes.
//
// The halves follow rank order: the first floor(n/2) GPUs and the rest. That is the natural cut for nodes and for
// rings; a topology with a narrower cut elsewhere has less bisection bandwidth than this returns.
// Cost: one maximum flow (Dinic), which takes few rounds of O(links) each on layered networks.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topology.hpp"

namespace sim::network {

Bandwidth bandwidth_between_halves(const Topology& topology);

}  // namespace sim::network
