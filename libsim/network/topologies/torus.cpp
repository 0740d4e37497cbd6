#include "libsim/network/topologies/torus.hpp"

#include "libsim/network/topologies/grid_shapes.hpp"
#include "libsim/network/topologies/multi_dimensional.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sim::network {

namespace {

// Not one line, unless the GPUs are too few for more.
std::vector<int> torus_sides(int gpus, int count) {
    std::vector<int> sides = grid_sides(gpus, count);
    const bool few = gpus < 1 << count;
    return few || sides.front() > 1 ? sides : std::vector<int>{};
}

Topology even_torus(int gpus, int count, const char* what) {
    require_gpus(gpus, what);
    const std::vector<int> sides = torus_sides(gpus, count);
    if (sides.empty()) {
        refuse_size(gpus, what, [&](int n) { return !torus_sides(n, count).empty(); });
    }
    return torus(sides, plain_wire);
}

Topology torus_of(const TopologyKeys& keys, int gpus) {
    const Wire wire = keys.wire();
    return torus(keys.has("sizes") ? keys.wholes("sizes", most_of_a_part)
                                   : grid_sides(gpus, keys.whole_or("dimensions", 2, 2, 3)),
                 wire);
}

}  // namespace

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

TopologyRow torus_row() {
    return {.name = "torus", .what = "", .keys = wire_keys() + KeyNames{"sizes", "dimensions"}, .by_keys = torus_of};
}

TopologyRow torus_2d_row() {
    return {.name = "torus-2d", .what = "a 2D torus", .by_size = [](int n) { return even_torus(n, 2, "a 2D torus"); }};
}

TopologyRow torus_3d_row() {
    return {.name = "torus-3d", .what = "a 3D torus", .by_size = [](int n) { return even_torus(n, 3, "a 3D torus"); }};
}

}  // namespace sim::network
