// These are the parts of a node and the routes over them, for node.cpp and nodes_fat_tree.cpp; internal to topologies/.
//
// Vertices: all GPUs, then each node's switch and cards. Links: each GPU's up and down from 0 on, then the cables to
// the cards, ordered by GPU, or by card if they connect to the switch.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/topologies.hpp"

namespace sim::network {

struct NodeLinks {
    int gpus_per_node = 1;
    int gpus_per_nic = 1;
    bool nics_on_switch = false;
    LinkId first_of_nics = 0;
    std::vector<int> nics;  // vertices

    int nic_of(int gpu) const {
        const int nics_per_node = (gpus_per_node + gpus_per_nic - 1) / gpus_per_nic;
        return gpu / gpus_per_node * nics_per_node + gpu % gpus_per_node / gpus_per_nic;
    }
    // Appends the links between two GPUs of one node.
    void append_inner(int source, int target, std::vector<LinkId>& route) const;
    void append_to_nic(int gpu, std::vector<LinkId>& route) const;
    void append_from_nic(int gpu, std::vector<LinkId>& route) const;
};

// Throws ProgramError without a bandwidth, or if the cards do not divide the GPUs.
void require_node(const NodeParts& parts);
// Requires: whole nodes, or part of a single one.
NodeLinks add_nodes(Topology& topology, int gpus, const NodeParts& parts);

// The keys of nodes in a file: gpus_per_node, nics_per_node, link_bytes_per_second, link_latency_seconds,
// pcie_bytes_per_second, pcie_latency_seconds.
KeyNames node_keys();
NodeParts node_of(const TopologyKeys& keys);

}  // namespace sim::network
