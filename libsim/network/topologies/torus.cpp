// A torus places GPUs on a grid of 1, 2, 3 or more dimensions, with every line closed to a ring.
//
//      0 --- 1 --- 2 -- (0)      x by y by z GPUs; GPU (x, y, z) is rank x + X (y + Y z)
//      |     |     |             n cables for each dimension longer than 2, half as many for one of 2
//      3 --- 4 --- 5 -- (3)
//      |     |     |
//     (0)   (1)   (2)
//
// Route: first along x to the right x, the shorter way round, then along y, then z (dimension order; if both ways are
// equal, upwards). Hops: the sum of the distances on the rings; one latency each; the bandwidth of one cable.
// Bisection bandwidth: across the longest dimension, of k GPUs:  2 n / k cables, each way (k = 2: n / 2).
// Source: Dally & Towles, Principles and Practices of Interconnection Networks (2004), chapters 5 and 8; Jouppi et al.,
// TPU v4, ISCA (2023).
#include "libsim/network/topologies/topologies.hpp"
#include "libsim/network/torus_block.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sim::network {

namespace {

// Avoids a single line, unless there are too few GPUs for anything else.
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
