// The cost of a route, and whether a topology has rails: GPUs with the same number on two nodes then reach each other
// over links that no other such pair uses, which the routes between the first two nodes show.
#include "libsim/network/routes.hpp"

#include <algorithm>

namespace sim::network {

RouteCost route_cost(const Topology& topology, std::span<const LinkId> route) {
    RouteCost cost;
    for (const LinkId id : route) {
        const Link& link = topology.links[id];
        // later() throws where a plain sum would overflow.
        cost.latency = later(Time{cost.latency}, link.latency).time_since_epoch();
        const bool slower = link.bandwidth.bytes_per_second < cost.slowest.bytes_per_second;
        if (slower || cost.slowest.bytes_per_second == 0) {
            cost.slowest = link.bandwidth;
        }
    }
    return cost;
}

bool has_rails(const Topology& topology) {
    const int node = topology.gpus_per_node();
    if (topology.gpus < 2 * node) {
        return false;
    }
    std::vector<LinkId> used;
    for (int gpu = 0; gpu < node; ++gpu) {
        topology.append_route(gpu, gpu + node, used);
    }
    std::sort(used.begin(), used.end());
    return std::adjacent_find(used.begin(), used.end()) == used.end();
}

}  // namespace sim::network
