// These functions build topologies. The .cpp file of each begins with its picture, routes, bisection bandwidth and
// source.
//
// Each also has a row in the table of named.cpp: its name, its keys in a file, and how these build it. A new topology
// is a file, a declaration here and a row there (docs/how-to/add-a-topology.md).
// All of them throw ProgramError without GPUs or a bandwidth, and for parts that do not fit together.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/topology_row.hpp"

namespace sim::network {

// A ring of GPUs, each cabled to the next.
Topology ring(int gpus, const Wire& wire);
TopologyRow ring_row();

// A cable between every two GPUs: at most 5,793 GPUs.
Topology fully_connected(int gpus, const Wire& wire);
TopologyRow fully_connected_row();

// All GPUs on one non-blocking switch.
Topology single_switch(int gpus, const Wire& wire);
TopologyRow single_switch_row();

// A grid whose lines are closed to rings.
Topology torus(const std::vector<int>& sizes, const Wire& wire);
// torus_row() is only for files. The other two take a number of GPUs and make the sides as equal as possible.
TopologyRow torus_row();
TopologyRow torus_2d_row();
TopologyRow torus_3d_row();

// A grid in which each dimension has its own kind of connection.
enum class DimensionKind : std::uint8_t { ring, line, fully_connected, switched };
struct Dimension {
    DimensionKind kind = DimensionKind::ring;
    int size = 1;
    Bandwidth bandwidth;
    Duration latency{0};
};
Topology multi_dimensional(const std::vector<Dimension>& dimensions);
TopologyRow multi_dimensional_row();

// A fat tree: leaf switches, spines above them, and a third level if two are not enough. Ecmp selects the up-port.
enum class Ecmp : std::uint8_t { destination, hash };
struct FatTree {
    Wire wire;                  // to the leaves
    std::optional<Wire> trunk;  // between switches; empty: same as `wire`
    int radix = 64;             // ports per switch
    int down_ports = 0;         // per leaf; 0: radix / 2
    int oversubscription = 1;   // down-ports of a leaf per up-port
    int levels = 0;             // 1, 2 or 3; 0: the fewest that suffice
    Ecmp ecmp = Ecmp::destination;
    std::uint64_t seed = 0;  // of the hash
};
Topology fat_tree(int gpus, const FatTree& tree);
TopologyRow fat_tree_row();

// GPUs on a switch, with network cards: the first `gpus` GPUs of one node.
struct NodeParts {
    int gpus = 8;
    Wire link;                 // of each GPU to the node's switch
    int nics = 8;              // must divide `gpus`; several cards of a GPU count as one with their total bandwidth
    std::optional<Wire> pcie;  // of each GPU to its card
};
Topology node(int gpus, const NodeParts& parts);
TopologyRow node_row();

// Whole nodes under a fat tree of their cards, or part of one node, without a tree.
struct NodeTree {
    NodeParts node;
    FatTree tree;
    int rails = 1;  // must divide the cards of a node
};
Topology nodes_fat_tree(int gpus, const NodeTree& options);
TopologyRow nodes_fat_tree_row();
// The same with cards on rails. options.rails == 1 means as many rails as a node has cards.
Topology rail_optimised(int gpus, NodeTree options);
TopologyRow rail_optimised_row();

// Groups of routers: all-to-all within a group, and every group cabled to every other one. Fewer GPUs than one group
// holds form a single group of fewer, complete routers.
struct Dragonfly {
    int gpus_per_router = 4;
    int routers_per_group = 8;
    int global_ports = 4;  // per router
    Wire wire;             // from a GPU to its router
    Wire local;            // within a group; bandwidth 0: same as `wire`
    Wire global;           // between groups; bandwidth 0: same as `wire`
};
Topology dragonfly(int gpus, const Dragonfly& options);
TopologyRow dragonfly_row();

// Vertices and links by name. Rank r is the r-th GPU of the list.
struct CustomLink {
    std::string from;
    std::string to;
    Wire wire;
    bool both_ways = true;
    std::string label;  // its name in error messages; empty: its number, from 1
};
struct CustomTopology {
    std::string name = "custom";
    std::vector<Vertex> vertices;
    std::vector<CustomLink> links;
};
// Also throws for a duplicate vertex or link, an unknown name (suggesting the nearest), and GPUs that cannot reach each
// other (by name).
Topology custom(const CustomTopology& options);
TopologyRow custom_row();

// Nodes with unspecified wiring: a switch for a node's GPUs, a card per GPU on the slowest PCIe that is as fast as the
// card, and rails of 64-port switches, 4 of them for nodes of more than 16 GPUs. Without a card there is a single node.
struct RailNodes {
    int gpus_per_node = 8;
    Bandwidth link;
    std::optional<Bandwidth> card;
};
Topology rail_nodes(int gpus, const RailNodes& nodes);

// Systems that can be bought, by name.
std::vector<TopologyRow> system_rows();

// This table lists every kind of topology that a file may name, and every named topology that needs only a number of
// GPUs. Real systems (systems.cpp) have a name but no kind.
std::vector<TopologyRow> topologies();
// The rows with a name that need only a number of GPUs; the rows that a file may name.
std::vector<TopologyRow> named_topologies();
std::vector<TopologyRow> kinds_of_topologies();
std::vector<std::string> names_of(const std::vector<TopologyRow>& rows);

// Throws ProgramError for an unknown name, suggesting the nearest known one, and for a number of GPUs that does not
// fit, suggesting the nearest that do.
Topology named_topology(const std::string& name, int gpus);

}  // namespace sim::network
