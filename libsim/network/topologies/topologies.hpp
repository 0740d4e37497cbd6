// These functions build topologies. The .cpp file of each begins with its picture, its routes, its bisection bandwidth
// and its source.
//
// Each has a row for the table in named.cpp, too: its name, its keys in a file, and how it is built from these. A new
// topology is a file, a declaration here and a row there (docs/how-to/add-a-topology.md).
// All of them throw ProgramError without a GPU or a bandwidth, and for parts that do not fit together.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/topology_row.hpp"

namespace sim::network {

// The GPUs stand in a circle, each with a cable to the next.
Topology ring(int gpus, const Wire& wire);
TopologyRow ring_row();

// Every GPU has a cable to every other one: at most 5,793 GPUs.
Topology fully_connected(int gpus, const Wire& wire);
TopologyRow fully_connected_row();

// All GPUs are connected to one switch that never blocks.
Topology single_switch(int gpus, const Wire& wire);
TopologyRow single_switch_row();

// A grid whose lines are closed to rings.
Topology torus(const std::vector<int>& sizes, const Wire& wire);
// `torus_row()`: of a file alone. The other two: of a number of GPUs, with sides as equal as can be.
TopologyRow torus_row();
TopologyRow torus_2d_row();
TopologyRow torus_3d_row();
// `count` sides of a grid whose product is `gpus`, each a multiple of `unit`, with the shortest longest side; in
// ascending order. Empty if there are none. Cost: O(sqrt(gpus)) for 2 sides, O(gpus^(2/3)) for 3. Requires: count 2 or
// 3, gpus >= 1.
std::vector<int> grid_sides(int gpus, int count, int unit = 1);

// A grid whose dimensions are connected each in a way of its own.
enum class DimensionKind : std::uint8_t { ring, line, fully_connected, switched };
struct Dimension {
    DimensionKind kind = DimensionKind::ring;
    int size = 1;
    Bandwidth bandwidth;
    Duration latency{0};
};
Topology multi_dimensional(const std::vector<Dimension>& dimensions);
TopologyRow multi_dimensional_row();

// Leaf switches, spines above them, and a third level where two are not enough.
enum class Ecmp : std::uint8_t { destination, hash };
struct FatTree {
    Wire wire;                  // to the leaves
    std::optional<Wire> trunk;  // between switches; empty: as `wire`
    int radix = 64;             // ports of a switch
    int down_ports = 0;         // of a leaf; 0: radix / 2
    int oversubscription = 1;   // down-ports of a leaf for each of its up-ports
    int levels = 0;             // 1, 2 or 3; 0: the fewest that do
    Ecmp ecmp = Ecmp::destination;
    std::uint64_t seed = 0;  // of the hash
};
Topology fat_tree(int gpus, const FatTree& tree);
TopologyRow fat_tree_row();

// GPUs on a switch, and network cards: the first `gpus` GPUs of one node.
struct NodeParts {
    int gpus = 8;
    Wire link;                 // of each GPU to the node's switch
    int nics = 8;              // must divide `gpus`: a GPU with several cards has one of their bandwidth
    std::optional<Wire> pcie;  // of each GPU to its card
};
Topology node(int gpus, const NodeParts& parts);
TopologyRow node_row();

// Whole nodes under a fat tree of their cards, or a part of one node, which has no tree.
struct NodeTree {
    NodeParts node;
    FatTree tree;
    int rails = 1;  // must divide the cards of a node
};
Topology nodes_fat_tree(int gpus, const NodeTree& options);
TopologyRow nodes_fat_tree_row();
// The same with cards on rails. With options.rails == 1 there are as many rails as a node has cards.
Topology rail_optimised(int gpus, NodeTree options);
TopologyRow rail_optimised_row();

// Groups of routers: all with all within a group, and every group with every other one. Fewer GPUs than a group has
// make one group of fewer routers, whole ones.
struct Dragonfly {
    int gpus_per_router = 4;
    int routers_per_group = 8;
    int global_ports = 4;  // of a router
    Wire wire;             // from a GPU to its router
    Wire local;            // within a group; bandwidth 0: as `wire`
    Wire global;           // between groups; bandwidth 0: as `wire`
};
Topology dragonfly(int gpus, const Dragonfly& options);
TopologyRow dragonfly_row();

// Vertices and links by name. Rank r is the r-th GPU of the list.
struct CustomLink {
    std::string from;
    std::string to;
    Wire wire;
    bool both_ways = true;
    std::string label;  // what complaints call it; empty: its number, from 1
};
struct CustomTopology {
    std::string name = "custom";
    std::vector<Vertex> vertices;
    std::vector<CustomLink> links;
};
// Throws, too: a vertex or link that is there twice, an unknown name (with the nearest), GPUs that do not reach each
// other (by name).
Topology custom(const CustomTopology& options);
TopologyRow custom_row();

// Nodes of which nobody says how they are wired: a switch for a node's GPUs, a card for each of them over the slowest
// PCIe that is as fast as the card, rails of 64-port switches, 4 of them for nodes of more than 16. Without a card
// there is one node.
struct RailNodes {
    int gpus_per_node = 8;
    Bandwidth link;
    std::optional<Bandwidth> card;
};
Topology rail_nodes(int gpus, const RailNodes& nodes);

// Systems that one can buy, by their names.
std::vector<TopologyRow> system_rows();

}  // namespace sim::network
