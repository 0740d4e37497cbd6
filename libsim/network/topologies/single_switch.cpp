// This topology connects all GPUs to one non-blocking switch.
//
//            switch           n GPUs: n cables, 2 n links
//         /  |  |  \          .
//        0   1  2   3
//
// Route: 2 hops, up and down: two latencies, the bandwidth of one cable. Flows share links only where they leave or
// reach the same GPU.
// Bisection bandwidth: floor(n/2) cables, each way: as much as the GPUs of one half can send.
// Source: Dally & Towles, Principles and Practices of Interconnection Networks (2004), chapter 2.
#include "libsim/network/topologies/topologies.hpp"

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
