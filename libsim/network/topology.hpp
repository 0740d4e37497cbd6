// A topology defines the links of a cluster and the route of a message from one GPU to another.
//
// It is a value: vertices (GPUs first: GPU r is rank r), unidirectional links, and a router. The builders in
// topologies/ construct one in a single call; custom() (topologies/custom.cpp) builds one from any list of links and
// finds the routes itself.
// Routes are fixed: two GPUs always use the same links, even if several routes are equally short.
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

// The shape of a builder's cables, for drawings.
enum class TopologyLayout : std::uint8_t {
    layers,  // GPUs below, switches above
    circle,  // a single ring, or all-to-all cables
    grid,    // coordinates: `levels` are their strides
    groups   // groups of routers: levels are the GPUs of a router and of a group
};

struct Topology {
    std::string name;
    int gpus = 0;
    std::vector<Vertex> vertices;  // the GPUs first, in the order of the ranks
    std::vector<Link> links;
    // The number of GPUs per node, per pod, …: each divides the next and `gpus`; empty: a single level.
    std::vector<int> levels;
    TopologyLayout layout = TopologyLayout::layers;
    // The bandwidth of all links from one half of the GPUs to the other, for the worst halves, by the builder's formula
    // if it has one (routes.hpp computes it for any topology, with halves in rank order).
    std::optional<Bandwidth> bisection;
    // Appends the links from `source` to `target`, in order. Requires: two different GPUs.
    std::function<void(const Topology&, int source, int target, std::vector<LinkId>& route)> router;

    void append_route(int source, int target, std::vector<LinkId>& route) const {
        router(*this, source, target, route);
    }
    int gpus_per_node() const { return levels.empty() ? gpus : levels.front(); }
};

}  // namespace sim::network
