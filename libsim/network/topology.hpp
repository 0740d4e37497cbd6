// What a cluster's links are, and which of them a message takes from one GPU to another.
//
// A topology is a value: vertices (GPUs first: GPU r is rank r), links of one direction each, and a router. The
// builders in topologies/ make one in a call; topologies/custom.hpp makes one of any list of links, and finds the
// routes itself. Routes are fixed: the same two GPUs always talk over the same links, also where several ways are
// equally short.
#pragma once

#include "libsim/units.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sim::network {

enum class VertexKind : std::uint8_t { gpu, nic, node_switch, network_switch };

struct Vertex {
    std::string name;  // unique: "node 3 gpu 1", "leaf 2"
    VertexKind kind = VertexKind::gpu;
};

// One direction of a cable.
struct Link {
    int from = 0;  // vertices
    int to = 0;
    Bandwidth bandwidth;
    Duration latency{0};
};

using LinkId = std::uint32_t;

// What a builder's cables form, for those who draw it.
enum class TopologyLayout : std::uint8_t {
    layers,  // GPUs below, switches above
    circle,  // one ring, or all with all
    grid,    // coordinates: `levels` are their strides
    groups   // groups of routers: levels are the GPUs of a router and of a group
};

struct Topology {
    std::string name;
    int gpus = 0;
    std::vector<Vertex> vertices;  // the GPUs first, in the order of the ranks
    std::vector<Link> links;
    // How many GPUs form a node, how many a pod, …: each divides the next and `gpus`; empty: one level only.
    std::vector<int> levels;
    TopologyLayout layout = TopologyLayout::layers;
    // What all links from one half of the GPUs to the other carry at once, where the halves are those with the least:
    // by the builder's formula, if it has one (bisection.hpp finds it for any topology, with halves in rank order).
    std::optional<Bandwidth> bisection;
    // Appends the links from `source` to `target`, in order. Requires: two different GPUs.
    std::function<void(const Topology&, int source, int target, std::vector<LinkId>& route)> router;

    void append_route(int source, int target, std::vector<LinkId>& route) const {
        router(*this, source, target, route);
    }
    int gpus_per_node() const { return levels.empty() ? gpus : levels.front(); }
};

}  // namespace sim::network
