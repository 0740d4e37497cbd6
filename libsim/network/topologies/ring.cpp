// A ring connects GPUs in a circle, each with a cable to the next.
//
//     0 -- 1 -- 2 -- 3        n GPUs: n cables, 2 n links (two GPUs: one cable; one GPU: none)
//     |              |
//     7 -- 6 -- 5 -- 4
//
// Route: the shorter way round; if both are equal, upwards, 0 to 1 to 2 … d = min(|a - b|, n - |a - b|) hops: d
// latencies, the bandwidth of one cable. On average n / 4 hops.
// Bisection bandwidth: 2 cables (two GPUs: 1), each way.
// Source: Dally & Towles, Principles and Practices of Interconnection Networks (2004), chapter 5.
#include "libsim/network/topologies/topologies.hpp"

namespace sim::network {

Topology ring(int gpus, const Wire& wire) {
    require_gpus(gpus, "a ring of GPUs");
    require_wire(wire, "a ring of GPUs");
    Topology topology = multi_dimensional({{DimensionKind::ring, gpus, wire.bandwidth, wire.latency}});
    topology.name = "ring";
    topology.layout = TopologyLayout::circle;
    return topology;
}

TopologyRow ring_row() {
    return {.name = "ring",
            .what = "one ring",
            .by_size = [](int gpus) { return ring(gpus, plain_wire); },
            .keys = wire_keys(),
            .by_keys = [](const TopologyKeys& keys, int gpus) { return ring(gpus, keys.wire()); }};
}

}  // namespace sim::network
