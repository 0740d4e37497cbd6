// A node has GPUs on a switch (NVLink, or a PCIe host bridge) and network cards through which they reach other nodes.
//
//          node switch               n GPUs, c cards, each for n / c neighbouring GPUs.
//        /    |    |    \            Cables: n to the switch, n from the GPUs to their cards
//     gpu 0 gpu 1 gpu 2 gpu 3
//        \    /     \    /           Without `pcie` the cards hang on the node's switch, by one cable like a GPU's
//        each: nic 0       nic 1           then a GPU's own cable carries both kinds of traffic.
//
// Route within the node: up to the switch and down, 2 hops, two latencies, the bandwidth of `link`. The cards are not
// used: this is one node alone; nodes_fat_tree.hpp plugs their cards in.
// Bisection bandwidth: n / 2 x link, each way.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/topology_row.hpp"

namespace sim::network {

struct NodeParts {
    int gpus = 8;
    Wire link;                 // of each GPU to the node's switch
    int nics = 8;              // must divide `gpus`: a GPU with several cards has one of their bandwidth
    std::optional<Wire> pcie;  // of each GPU to its card
};

// Builds the first `gpus` GPUs of a node, with their cards.
// Throws ProgramError with no GPU or more than a node has, without a bandwidth, or where the cards do not divide them.
Topology node(int gpus, const NodeParts& parts);

// For nodes_fat_tree.hpp. Vertices: all GPUs, then each node's switch and cards. Links: each GPU's up and down from 0
// on, then the cables to the cards, GPU after GPU, or card after card where these hang on the switch.
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
    // Between two GPUs of one node.
    void append_inner(int source, int target, std::vector<LinkId>& route) const;
    void append_to_nic(int gpu, std::vector<LinkId>& route) const;
    void append_from_nic(int gpu, std::vector<LinkId>& route) const;
};
void require_node(const NodeParts& parts);
// Requires: whole nodes, or a part of one.
NodeLinks add_nodes(Topology& topology, int gpus, const NodeParts& parts);

// Keys of a file: gpus_per_node, nics_per_node, link_bytes_per_second, link_latency_seconds, pcie_bytes_per_second,
// pcie_latency_seconds.
TopologyRow node_row();

// Shared by the rows of all topologies that are made of nodes.
KeyNames node_keys();
NodeParts node_of(const TopologyKeys& keys);

}  // namespace sim::network
