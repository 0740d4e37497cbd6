// The route cost of a message, with no other traffic on its route, is latencies + ceil(bytes / smallest bandwidth).
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topology.hpp"

#include <span>

namespace sim::network {

struct RouteCost {
    Duration latency{0};  // of all its links
    Bandwidth slowest;    // of its links; 0: it has none, and bytes cost nothing

    Duration of(Bytes bytes) const {
        const Duration draining = slowest.bytes_per_second == 0 ? Duration{0} : time_for(bytes.count, pace_of(slowest));
        return later(Time{latency}, draining).time_since_epoch();
    }
};

// Cost: O(links of the route).
RouteCost route_cost(const Topology& topology, std::span<const LinkId> route);

}  // namespace sim::network
