// A fat tree connects GPUs by leaf switches, spines that connect all leaves, and a third level if two are not enough.
//
//       spine 0   spine 1  …       Two levels, 4-port switches:     leaves = ceil(n / down)
//        |   \   /   |             every leaf has one cable to      spines = up = down / oversubscription
//        |    \ /    |             every spine.                     cables = n + leaves x up
//        |    / \    |
//       leaf 0    leaf 1  …        Three levels: pods of radix / 2 leaves and `up` aggregation switches; each of these
//       /  \      /  \             has radix / 2 cables to cores, aggregation a of every pod to the same radix / 2.
//      0    1    2    3            cables = n + leaves x up + pods x up x radix / 2
//
// Capacity: one level, down (one leaf) · two, down x radix · three, down x radix / 2 x radix.  down = radix / 2 by
// default. Route: up to the first switch above both, and down: 2 hops within a leaf, 4 within a pod (or under the
// spines), 6 across the cores; one latency per hop; the least bandwidth. The destination (d-mod-k) or a hash selects
// the up-port (clos.hpp), always the same one. Bisection bandwidth: n / 2 x bandwidth, divided by the oversubscription
// if there are spines. A bundle of parallel cables to one spine is modelled as that many spines: the routes are the
// same and meet in the same places. Levels: the GPUs of a leaf, those of a pod. Source: Leiserson, IEEE ToC 34 (1985);
// Al-Fares, Loukissas & Vahdat, SIGCOMM (2008); Zahavi (clos.hpp).
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

// By number of GPUs: leaf and spine of the smallest sufficient switches, with 4, 8, … 128 ports; above 8,192 GPUs three
// levels of 64 ports. By file: radix, down_ports, oversubscription, levels, ecmp = "destination" or "hash", seed,
// trunk_bytes_per_second and trunk_latency_seconds (between switches).
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
