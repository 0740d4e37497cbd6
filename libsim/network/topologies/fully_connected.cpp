#include "libsim/network/topologies/fully_connected.hpp"

#include "libsim/network/topologies/multi_dimensional.hpp"

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
