#include "libsim/network/rails.hpp"

#include <algorithm>

namespace sim::network {

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
