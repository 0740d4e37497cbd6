// These functions derive facts from the links of a topology: the cost of a message alone on its route, rails, and the
// bandwidth between its halves.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topology.hpp"

#include <span>

namespace sim::network {

// The cost of a message with no other traffic on its route: latencies + ceil(bytes / smallest bandwidth).
struct RouteCost {
    Duration latency{0};  // sum over its links
    Bandwidth slowest;    // least of its links; 0: it has none, so bytes cost nothing

    Duration of(Bytes bytes) const {
        const Duration draining = slowest.bytes_per_second == 0 ? Duration{0} : time_for(bytes.count, pace_of(slowest));
        return later(Time{latency}, draining).time_since_epoch();
    }
};

// Costs O(links of the route).
RouteCost route_cost(const Topology& topology, std::span<const LinkId> route);

// Whether each GPU of a node has its own path to other nodes: true if no two of the routes from the GPUs of the first
// node to their counterparts on the second share a link. False if there is only one node. Costs O(routes of a node).
bool has_rails(const Topology& topology);

// Bisection bandwidth is the maximum flow, which equals the minimum cut, from one half of the GPUs to the other over
// any routes.
//
// The halves follow rank order: the first floor(n/2) GPUs and the rest. That is the natural cut for nodes and for
// rings; a topology with a narrower cut elsewhere has less bisection bandwidth than this returns.
// Cost: one maximum flow.
Bandwidth bandwidth_between_halves(const Topology& topology);

}  // namespace sim::network
