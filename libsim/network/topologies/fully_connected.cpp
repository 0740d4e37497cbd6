// This topology connects every GPU to every other one by a cable.
//
//     0 --- 1         n GPUs: n (n - 1) / 2 cables, n (n - 1) links
//     | \ / |
//     | / \ |
//     3 --- 2
//
// Route: 1 hop, one latency, the bandwidth of one cable. No two pairs share a link.
// Bisection bandwidth: floor(n/2) ceil(n/2) cables, each way.
// Source: Dally & Towles, Principles and Practices of Interconnection Networks (2004), chapter 3.
#include "libsim/network/topologies/topologies.hpp"

#include <fmt/format.h>

namespace sim::network {

Topology fully_connected(int gpus, const Wire& wire) {
    require_gpus(gpus, "fully connected GPUs");
    require_wire(wire, "fully connected GPUs");
    require_links(std::int64_t{gpus} * (gpus - 1), fmt::format("{} fully connected GPUs", gpus));
    Topology topology = multi_dimensional({{DimensionKind::fully_connected, gpus, wire.bandwidth, wire.latency}});
    topology.name = "fully-connected";
    topology.layout = TopologyLayout::circle;
    return topology;
}

TopologyRow fully_connected_row() {
    return {.name = "fully-connected",
            .what = "a cable between every two",
            .by_size = [](int gpus) { return fully_connected(gpus, plain_wire); },
            .keys = wire_keys(),
            .by_keys = [](const TopologyKeys& keys, int gpus) { return fully_connected(gpus, keys.wire()); }};
}

}  // namespace sim::network
