// A cluster whose messages share links: GPUs around one switch.
#pragma once

#include "libsim/cluster.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

namespace sim::test {

// Each GPU has an uplink of 1 GB/s to one switch and a downlink of `down`; each takes 1 us. A FLOP takes 1 ns.
inline Cluster star(int gpus, Bandwidth down = GB_per_s) {
    using namespace std::chrono_literals;
    Topology topology{.name = "star", .gpus = gpus};
    for (int gpu = 0; gpu < gpus; ++gpu) {
        topology.vertices.push_back({.name = fmt::format("gpu {}", gpu)});
    }
    topology.vertices.push_back({.name = "switch", .kind = VertexKind::network_switch});
    for (int gpu = 0; gpu < gpus; ++gpu) {
        topology.links.push_back({.from = gpu, .to = gpus, .bandwidth = GB_per_s, .latency = 1us});
        topology.links.push_back({.from = gpus, .to = gpu, .bandwidth = down, .latency = 1us});
    }
    topology.router = [](const Topology&, int source, int target, std::vector<LinkId>& route) {
        route.push_back(2 * static_cast<LinkId>(source));
        route.push_back(2 * static_cast<LinkId>(target) + 1);
    };
    Cluster cluster = uniform({.flops = FlopRate{1'000'000'000}});
    cluster.network = FairShare{std::make_shared<const Topology>(std::move(topology))};
    return cluster;
}

}  // namespace sim::test
