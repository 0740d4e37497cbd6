#include "libsim/network/topologies/ring.hpp"

#include "libsim/network/topologies/multi_dimensional.hpp"

namespace sim {

Topology ring(int gpus, const Wire& wire) {
    require_gpus(gpus, "a ring of GPUs");
    require_wire(wire, "a ring of GPUs");
    Topology topology = multi_dimensional({{DimensionKind::ring, gpus, wire.bandwidth, wire.latency}});
    topology.name = "ring";
    topology.layout = Layout::circle;
    return topology;
}

}  // namespace sim
