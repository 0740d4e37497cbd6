// This topology connects nodes of GPUs (node.cpp), with network cards that are the endpoints of a fat tree
// (fat_tree.cpp).
//
//        spines                    One rail: the cards of a node are adjacent under one leaf, node by node.
//        /    \                    Several rails: below.
//    leaf 0   leaf 1
//     |  \     |  \                Cables: those of the nodes and those of the tree; c cards per node.
//    nic nic  nic nic
//    (node 0) (node 1)
//
// Route within a node: through its switch, 2 hops. To another node: from the GPU to its card, through the tree to the
// target's card, to the target: 2 + 2, 4 or 6 hops (without `pcie` 4 + …); the least bandwidth of these.
// Bisection bandwidth: half the GPUs' cables to their cards, or that of the tree, whichever is less.
// Levels: the GPUs of a node; those under one leaf, or under one leaf of every rail.
//
// A rail-optimised topology assigns the cards of nodes to rails: card k of every node connects to a leaf switch of rail
// k.
//
//     rail 0      rail 1           c cards per node: c rails. A unit has one node per down-port of a leaf, and
//      |   \      /   |            one leaf for each rail; with several units, spines connect all leaves.
//      |     \  /     |
//      |     /  \     |            Cables: those of the nodes and those of the fat tree.
//     nic 0  nic 1   nic 0  nic 1
//        node 0         node 1
//
// Route to a GPU of the same rail on another node: card, leaf (and spine, leaf, outside the unit), card. To a GPU of
// another rail: first through the node's own switch to the GPU at the target's place in the node, then over the
// target's rail, 2 hops more. So traffic never changes rails in the network; NCCL's PXN does the same.
// Bisection bandwidth and levels: as above.
// Source: NVIDIA DGX SuperPOD reference architecture, DGX H100 (2023); PXN: Doubling all2all performance with NCCL
// 2.12, NVIDIA technical blog (2022).
#include "libsim/network/topologies/node_links.hpp"

#include "libsim/error.hpp"
#include "libsim/network/topologies/clos.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::network {

namespace {

// The data that a route needs: small, and copied into the router.
struct Way {
    NodeLinks links;
    Clos clos;

    void append(int source, int target, std::vector<LinkId>& route) const {
        const int per_node = links.gpus_per_node;
        if (source / per_node == target / per_node) {
            links.append_inner(source, target, route);
            return;
        }
        if (links.nic_of(source) % clos.rails != links.nic_of(target) % clos.rails) {
            const int proxy = source / per_node * per_node + target % per_node;
            links.append_inner(source, proxy, route);
            source = proxy;
        }
        links.append_to_nic(source, route);
        append_clos_route(clos, links.nic_of(source), links.nic_of(target), route);
        links.append_from_nic(target, route);
    }
};

void require_whole_nodes(int gpus, int per_node) {
    if (gpus > per_node && gpus % per_node != 0) {
        const int below = gpus / per_node * per_node;
        throw ProgramError(fmt::format("{} GPUs is not a whole number of {}-GPU nodes; try {} or {}", gpus, per_node,
                                       below, below + per_node));
    }
}

std::vector<std::int64_t> groups_of(const Way& way) {
    std::vector<std::int64_t> groups{way.links.gpus_per_node};
    for (std::size_t level = 1; level < way.clos.levels.size(); ++level) {
        const std::int64_t rails = level == 1 ? way.clos.rails : 1;
        groups.push_back(way.clos.levels[level].down_below * rails * way.links.gpus_per_nic);
    }
    return groups;
}

}  // namespace

Topology nodes_fat_tree(int gpus, const NodeTree& options) {
    require_node(options.node);
    require_gpus(gpus, "nodes");
    if (options.rails < 1 || options.node.nics % options.rails != 0) {
        throw ProgramError(fmt::format("nodes: the rails must divide the {} cards of a node, not {}", options.node.nics,
                                       options.rails));
    }
    if (gpus <= options.node.gpus) {
        return node(gpus, options.node);
    }
    require_whole_nodes(gpus, options.node.gpus);
    const int nics = gpus / options.node.gpus * options.node.nics;
    Topology topology;
    topology.name = options.rails == 1 ? "nodes-fat-tree" : "rail-optimised";
    Way way{.clos = clos_of(options.tree, nics, options.rails, "the fat tree above the nodes")};
    way.links = add_nodes(topology, gpus, options.node);
    add_clos(topology, way.clos, options.tree, way.links.nics);
    set_levels(topology, groups_of(way));
    const Bandwidth tree = bisection_of(way.clos, options.tree);
    const Bandwidth cards = options.node.pcie ? together(gpus / 2, options.node.pcie->bandwidth)
                                              : together(nics / 2, options.node.link.bandwidth);
    topology.bisection = Bandwidth{std::min(tree.bytes_per_second, cards.bytes_per_second)};
    way.links.nics.clear();
    topology.router = [way](const Topology&, int source, int target, std::vector<LinkId>& route) {
        way.append(source, target, route);
    };
    return topology;
}

namespace {

// The keys in a file: those of a node and of a fat tree (bytes_per_second and latency_seconds describe a card's cable),
// and rails.
KeyNames node_tree_keys() {
    return node_keys() + fat_tree_keys() + KeyNames{"rails"};
}

NodeTree node_tree_of(const TopologyKeys& keys) {
    return {.node = node_of(keys), .tree = fat_tree_of(keys), .rails = keys.whole_or("rails", 1, 1, most_of_a_part)};
}

}  // namespace

TopologyRow nodes_fat_tree_row() {
    return {.name = "nodes-fat-tree",
            .what = "",
            .keys = node_tree_keys(),
            .by_keys = [](const TopologyKeys& keys, int gpus) { return nodes_fat_tree(gpus, node_tree_of(keys)); }};
}

Topology rail_optimised(int gpus, NodeTree options) {
    if (options.rails == 1) {
        options.rails = options.node.nics;
    }
    return nodes_fat_tree(gpus, options);
}

TopologyRow rail_optimised_row() {
    return {.name = "rail-optimised",
            .what = "",
            .keys = node_tree_keys(),
            .by_keys = [](const TopologyKeys& keys, int gpus) { return rail_optimised(gpus, node_tree_of(keys)); }};
}

}  // namespace sim::network
