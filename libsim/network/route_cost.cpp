#include "libsim/network/route_cost.hpp"

#include <algorithm>

namespace sim::network {

RouteCost route_cost(const Topology& topology, std::span<const LinkId> route) {
    RouteCost cost;
    for (const LinkId id : route) {
        const Link& link = topology.links[id];
        cost.latency = later(Time{cost.latency}, link.latency).time_since_epoch();
        const bool slower = link.bandwidth.bytes_per_second < cost.slowest.bytes_per_second;
        if (slower || cost.slowest.bytes_per_second == 0) {
            cost.slowest = link.bandwidth;
        }
    }
    return cost;
}

}  // namespace sim::network
