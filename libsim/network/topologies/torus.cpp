#include "libsim/network/topologies/torus.hpp"

#include "libsim/network/topologies/multi_dimensional.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sim {

Topology torus(const std::vector<int>& sizes, const Wire& wire) {
    require_wire(wire, "a torus");
    std::vector<Dimension> dimensions;
    dimensions.reserve(sizes.size());
    for (const int size : sizes) {
        dimensions.push_back({DimensionKind::ring, size, wire.bandwidth, wire.latency});
    }
    Topology topology = multi_dimensional(dimensions);
    topology.name = fmt::format("torus {}", fmt::join(sizes, "x"));
    return topology;
}

}  // namespace sim
