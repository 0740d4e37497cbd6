// A rail-optimised topology sorts the cards of nodes onto rails: card k of every node connects to a leaf switch of rail
// k.
//
//     rail 0      rail 1           c cards a node: c rails. A unit is as many nodes as a leaf has ports down; every
//      |   \      /   |            unit has a leaf for each rail, and beyond one unit spines connect all leaves.
//      |     \  /     |
//      |     /  \     |            Cables: those of the nodes and those of the fat tree.
//     nic 0  nic 1   nic 0  nic 1
//        node 0         node 1
//
// Route to a GPU of the same rail on another node: card, leaf (and spine, leaf, beyond the unit), card. To one of
// another rail: first through the node's own switch to its GPU with the target's place in the node, then on from there
// over the target's rail, 2 hops more. So traffic never changes rails in the network; NCCL's PXN does the same.
// All else, bisection bandwidth and levels, as in nodes_fat_tree.hpp.
// Source: NVIDIA DGX SuperPOD reference architecture, DGX H100 (2023); PXN: Doubling all2all performance with
// NCCL 2.12, NVIDIA technical blog (2022).
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/nodes_fat_tree.hpp"
#include "libsim/network/topologies/topology_row.hpp"

namespace sim::network {

// With options.rails == 1 there are as many rails as a node has cards.
Topology rail_optimised(int gpus, NodeTree options);

// Keys of a file: as nodes-fat-tree.
TopologyRow rail_optimised_row();

}  // namespace sim::network
