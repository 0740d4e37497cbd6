// A small topology for tests: GPUs under node switches, which are under one top switch.
#pragma once

#include "libsim/network/topology.hpp"

#include <fmt/format.h>

#include <memory>

namespace sim::test {

struct TwoLevels {
    int nodes = 2;
    int gpus_per_node = 4;
    Bandwidth up;    // from a node to the top, and back
    Bandwidth link;  // from a GPU to its node's switch, and back
    Duration latency{0};
};

inline std::shared_ptr<const Topology> two_level_tree(const TwoLevels& shape) {
    auto topology = std::make_shared<Topology>();
    const int gpus = shape.nodes * shape.gpus_per_node;
    topology->name = "two levels";
    topology->gpus = gpus;
    topology->levels = {shape.gpus_per_node};
    for (int gpu = 0; gpu < gpus; ++gpu) {
        topology->vertices.push_back({.name = fmt::format("gpu {}", gpu)});
    }
    for (int node = 0; node < shape.nodes; ++node) {
        topology->vertices.push_back({.name = fmt::format("node {}", node), .kind = VertexKind::node_switch});
    }
    topology->vertices.push_back({.name = "top", .kind = VertexKind::network_switch});
    const auto cable = [&](int below, int above, Bandwidth bandwidth) {
        topology->links.push_back({below, above, bandwidth, shape.latency});
        topology->links.push_back({above, below, bandwidth, shape.latency});
    };
    for (int gpu = 0; gpu < gpus; ++gpu) {
        cable(gpu, gpus + gpu / shape.gpus_per_node, shape.link);
    }
    for (int node = 0; node < shape.nodes; ++node) {
        cable(gpus + node, gpus + shape.nodes, shape.up);
    }
    topology->router = [shape, gpus](const Topology&, int source, int target, std::vector<LinkId>& route) {
        const auto add = [&route](int number, int direction) {
            route.push_back(static_cast<LinkId>(2 * number + direction));
        };
        const int from = source / shape.gpus_per_node;
        const int to = target / shape.gpus_per_node;
        add(source, 0);
        if (from != to) {
            add(gpus + from, 0);
            add(gpus + to, 1);
        }
        add(target, 1);
    };
    return topology;
}

}  // namespace sim::test
