#include "libsim/network/topologies/single_switch.hpp"

#include "libsim/network/topologies/multi_dimensional.hpp"

namespace sim::network {

Topology single_switch(int gpus, const Wire& wire) {
    require_gpus(gpus, "GPUs on a switch");
    require_wire(wire, "GPUs on a switch");
    Topology topology = multi_dimensional({{DimensionKind::switched, gpus, wire.bandwidth, wire.latency}});
    topology.name = "switch";
    topology.layout = TopologyLayout::layers;
    return topology;
}

TopologyRow single_switch_row() {
    return {.name = "switch",
            .what = "one switch",
            .by_size = [](int gpus) { return single_switch(gpus, plain_wire); },
            .keys = wire_keys(),
            .by_keys = [](const TopologyKeys& keys, int gpus) { return single_switch(gpus, keys.wire()); }};
}

}  // namespace sim::network
