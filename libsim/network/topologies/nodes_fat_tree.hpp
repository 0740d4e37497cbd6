// This topology connects nodes of GPUs (node.hpp) whose network cards are the endpoints of a fat tree (fat_tree.hpp).
//
//        spines                    One rail: the cards of a node are neighbours under one leaf, node after node.
//        /    \                    Several rails: rail_optimised.hpp.
//    leaf 0   leaf 1
//     |  \     |  \                Cables: those of the nodes and those of the tree; c cards a node.
//    nic nic  nic nic
//    (node 0) (node 1)
//
// Route within a node: through its switch, 2 hops. To another node: from the GPU to its card, through the tree to the
// card of the target, to the target: 2 + 2, 4 or 6 hops (without `pcie` 4 + …); the least bandwidth of these.
// Bisection bandwidth: of half the GPUs' cables to their cards, or of the tree, whichever is less.
// Levels: the GPUs of a node; those under one leaf, or under one leaf of every rail.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/fat_tree.hpp"
#include "libsim/network/topologies/node.hpp"
#include "libsim/network/topologies/topology_row.hpp"

namespace sim::network {

struct NodeTree {
    NodeParts node;
    FatTree tree;
    int rails = 1;  // must divide the cards of a node
};

// Whole nodes, or a part of one, which has no tree.
// Throws ProgramError where the GPUs fill no whole nodes, naming the nearest numbers that do, or as the parts do.
Topology nodes_fat_tree(int gpus, const NodeTree& options);

// Keys of a file: as node and fat-tree, whose bytes_per_second and latency_seconds are those of a card; rails.
TopologyRow nodes_fat_tree_row();

// Shared with the row of rail_optimised.hpp.
KeyNames node_tree_keys();
NodeTree node_tree_of(const TopologyKeys& keys);

}  // namespace sim::network
