#include "libsim/network/topologies/ring.hpp"

#include "libsim/network/topologies/multi_dimensional.hpp"

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
