#include "libsim/network/topologies/fat_tree.hpp"

#include "libsim/network/topologies/clos.hpp"

#include <numeric>

namespace sim::network {

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

KeyNames fat_tree_keys() {
    return wire_keys() + wire_keys("trunk_") +
           KeyNames{"radix", "down_ports", "oversubscription", "levels", "ecmp", "seed"};
}

FatTree fat_tree_of(const TopologyKeys& keys) {
    constexpr int most_ports = 4096;
    FatTree tree{.wire = keys.wire(), .trunk = keys.optional_wire("trunk_")};
    tree.radix = keys.whole_or("radix", tree.radix, 2, most_ports);
    tree.down_ports = keys.whole_or("down_ports", tree.down_ports, 1, most_ports);
    tree.oversubscription = keys.whole_or("oversubscription", tree.oversubscription, 1, most_ports);
    tree.levels = keys.whole_or("levels", tree.levels, 1, 3);
    if (keys.has("ecmp")) {
        tree.ecmp = keys.choice("ecmp", {"destination", "hash"}) == 0 ? Ecmp::destination : Ecmp::hash;
    }
    tree.seed = static_cast<std::uint64_t>(keys.whole_or("seed", 0, 0, INT32_MAX));
    return tree;
}

TopologyRow fat_tree_row() {
    const auto by_size = [](int gpus) {
        int radix = 4;
        while (radix < 128 && radix * (radix / 2) < gpus) {
            radix *= 2;
        }
        const bool three = radix * (radix / 2) < gpus;
        return fat_tree(gpus, {.wire = plain_wire, .radix = three ? 64 : radix, .levels = three ? 3 : 2});
    };
    return {.name = "fat-tree",
            .what = "leaf and spine, nothing oversubscribed",
            .by_size = by_size,
            .keys = fat_tree_keys(),
            .by_keys = [](const TopologyKeys& keys, int gpus) { return fat_tree(gpus, fat_tree_of(keys)); }};
}

}  // namespace sim::network
