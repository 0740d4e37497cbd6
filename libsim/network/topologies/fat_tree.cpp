#include "libsim/network/topologies/fat_tree.hpp"

#include "libsim/network/topologies/clos.hpp"

#include <numeric>

namespace sim {

Topology fat_tree(int gpus, const FatTree& tree) {
    require_gpus(gpus, "a fat tree");
    Clos clos = clos_of(tree, gpus, 1, "a fat tree");
    Topology topology;
    topology.name = "fat-tree";
    add_gpus(topology, gpus);
    std::vector<int> plugged(static_cast<std::size_t>(gpus));
    std::iota(plugged.begin(), plugged.end(), 0);
    add_clos(topology, clos, tree, plugged);
    std::vector<std::int64_t> groups;
    for (const Clos::Level& level : clos.levels) {
        groups.push_back(level.down_below);
    }
    set_levels(topology, groups);
    topology.bisection = bisection_of(clos, tree);
    topology.router = [clos](const Topology&, int source, int target, std::vector<LinkId>& route) {
        append_clos_route(clos, source, target, route);
    };
    return topology;
}

}  // namespace sim
