// A multi-dimensional topology places GPUs on a grid and connects the lines of each dimension in their own way.
//
//      x: ring of 4       y: switch of 2          GPU (x, y) is rank x + 4 y:
//      0 - 1 - 2 - 3 - (0)                        the first dimension is the innermost, as in ASTRA-sim
//      |   |   |   |        <- a switch for each
//      4 - 5 - 6 - 7 - (4)     of the 4 columns
//
// A line of n GPUs     cables        hops of a route                  links that cross its middle, one way
//   ring               n  (n > 2)    shortest way round, tie: up      2   (n = 2: 1)
//   line               n - 1         the difference                   1
//   fully_connected    n (n - 1) / 2 1                                floor(n/2) ceil(n/2)
//   switched           n             2, each with the latency         floor(n/2)
//
// A ring of two has one cable, not two. "Up" is towards the greater coordinate. Routes are dimension-ordered: along the
// first dimension until that coordinate is right, then along the second, … Hops and latencies add up; the bandwidth is
// the least on the route. Bisection bandwidth: the least over the dimensions of  (GPUs / n) x crossing links x their
// bandwidth. Levels: the strides of the dimensions. Cost: O(links) to build; a route costs its length and needs no
// memory. Source: Dally & Towles, Principles and Practices of Interconnection Networks (2004), chapters 5 and 8;
// dimensions as building blocks: Won et al., ASTRA-sim2.0, ISPASS (2023).
#include "libsim/network/topologies/topologies.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::network {

namespace {

// The first link of a dimension, and the layout of its lines over the ranks.
struct Axis {
    DimensionKind kind;
    int size;
    int stride;  // from one GPU of a line to the next
    LinkId first;
};

// A ring of two has one cable, like a line.
DimensionKind kind_of(const Dimension& dimension) {
    return dimension.kind == DimensionKind::ring && dimension.size == 2 ? DimensionKind::line : dimension.kind;
}

int position(const Axis& axis, int gpu) {
    return gpu / axis.stride % axis.size;
}

// The number, among the lines along this axis, of the GPU's own line.
int line_of(const Axis& axis, int gpu) {
    return gpu / (axis.stride * axis.size) * axis.stride + gpu % axis.stride;
}

LinkId link_at(const Axis& axis, int index) {
    return axis.first + static_cast<LinkId>(index);
}

// Each GPU has a link to the next one, followed by a link to the previous one.
void append_ring_route(const Axis& axis, int gpu, int to, std::vector<LinkId>& route) {
    const int n = axis.size;
    int at = position(axis, gpu);
    const int base = gpu - at * axis.stride;
    const int ahead = (to - at + n) % n;
    const bool up = 2 * ahead <= n;
    for (int hops = up ? ahead : n - ahead; hops > 0; --hops) {
        route.push_back(link_at(axis, 2 * (base + at * axis.stride) + (up ? 0 : 1)));
        at = (at + (up ? 1 : n - 1)) % n;
    }
}

// Cables are numbered by their lower ends, which all GPUs have except the last of each line; those come last in a
// block.
void append_line_route(const Axis& axis, int gpu, int to, std::vector<LinkId>& route) {
    const int block = gpu / (axis.stride * axis.size) * axis.stride;
    int at = position(axis, gpu);
    const int base = gpu - at * axis.stride - block;
    for (; at < to; ++at) {
        route.push_back(link_at(axis, 2 * (base + at * axis.stride)));
    }
    for (; at > to; --at) {
        route.push_back(link_at(axis, 2 * (base + (at - 1) * axis.stride) + 1));
    }
}

void append_axis_route(const Axis& axis, int gpu, int to, std::vector<LinkId>& route) {
    const int at = position(axis, gpu);
    switch (axis.kind) {
        case DimensionKind::ring: append_ring_route(axis, gpu, to, route); break;
        case DimensionKind::line: append_line_route(axis, gpu, to, route); break;
        case DimensionKind::fully_connected:
            route.push_back(link_at(axis, gpu * (axis.size - 1) + (to < at ? to : to - 1)));
            break;
        case DimensionKind::switched:
            route.push_back(link_at(axis, 2 * gpu));
            route.push_back(link_at(axis, 2 * (gpu + (to - at) * axis.stride) + 1));
            break;
    }
}

// The links of one GPU along one axis, in the order in which routes look them up.
void add_links_of(Topology& topology, const Axis& axis, const Wire& wire, int gpu, int first_switch) {
    const int n = axis.size;
    const int at = position(axis, gpu);
    const auto neighbour = [&](int to) { return gpu + (to - at) * axis.stride; };
    const auto add = [&](int to) { topology.links.push_back({gpu, to, wire.bandwidth, wire.latency}); };
    switch (axis.kind) {
        case DimensionKind::ring:
            add(neighbour((at + 1) % n));
            add(neighbour((at + n - 1) % n));
            break;
        case DimensionKind::line:
            if (at + 1 < n) {
                add_cable(topology, gpu, neighbour(at + 1), wire);
            }
            break;
        case DimensionKind::fully_connected:
            for (int to = 0; to < n; ++to) {
                if (to != at) {
                    add(neighbour(to));
                }
            }
            break;
        case DimensionKind::switched: add_cable(topology, gpu, first_switch + line_of(axis, gpu), wire); break;
    }
}

void add_switches(Topology& topology, const Axis& axis, std::size_t dimension, bool only_one) {
    for (int line = 0; line < topology.gpus / axis.size; ++line) {
        add_vertex(topology, only_one ? "switch" : fmt::format("switch {} of dimension {}", line, dimension),
                   VertexKind::network_switch);
    }
}

std::int64_t links_across(const Dimension& dimension) {
    const std::int64_t n = dimension.size;
    switch (dimension.kind) {
        case DimensionKind::ring: return n > 2 ? 2 : 1;
        case DimensionKind::line: return 1;
        case DimensionKind::fully_connected: return n / 2 * ((n + 1) / 2);
        case DimensionKind::switched: return n / 2;
    }
    return 0;
}

std::optional<Bandwidth> bisection_of(const std::vector<Dimension>& dimensions, int gpus) {
    std::optional<Bandwidth> least;
    for (const Dimension& dimension : dimensions) {
        if (dimension.size > 1) {
            const Bandwidth cut = together(gpus / dimension.size * links_across(dimension), dimension.bandwidth);
            if (!least || cut.bytes_per_second < least->bytes_per_second) {
                least = cut;
            }
        }
    }
    return least;
}

std::int64_t links_of(const Dimension& dimension, std::int64_t gpus) {
    return gpus * (dimension.kind == DimensionKind::fully_connected ? dimension.size - 1 : 2);
}

// Returns the number of GPUs of the grid.
int require_dimensions(const std::vector<Dimension>& dimensions) {
    if (dimensions.empty()) {
        throw ProgramError("a multi-dimensional topology: at least one dimension is needed");
    }
    std::int64_t gpus = 1;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const Dimension& dimension = dimensions[i];
        const std::string what = fmt::format("dimension {}", i);
        require_gpus(dimension.size, what);
        if (dimension.size > 1) {
            require_wire({dimension.bandwidth, dimension.latency}, what);
        }
        gpus *= dimension.size;
        require_links(gpus, what);
    }
    std::int64_t links = 0;
    for (const Dimension& dimension : dimensions) {
        links += links_of(dimension, gpus);
    }
    require_links(links, fmt::format("{} GPUs in {} dimensions", gpus, dimensions.size()));
    return static_cast<int>(gpus);
}

std::vector<std::int64_t> strides_above(const std::vector<Dimension>& dimensions) {
    std::vector<std::int64_t> strides;
    std::int64_t stride = 1;
    for (const Dimension& dimension : dimensions) {
        stride *= dimension.size;
        strides.push_back(stride);
    }
    return strides;
}

// Adds the dimension's switches and links.
Axis add_axis(Topology& topology, const Dimension& dimension, std::size_t number, int stride, bool only_one) {
    const Axis axis{kind_of(dimension), dimension.size, stride, static_cast<LinkId>(topology.links.size())};
    const int first_switch = static_cast<int>(topology.vertices.size());
    if (axis.kind == DimensionKind::switched) {
        add_switches(topology, axis, number, only_one);
    }
    for (int gpu = 0; gpu < topology.gpus; ++gpu) {
        add_links_of(topology, axis, {dimension.bandwidth, dimension.latency}, gpu, first_switch);
    }
    return axis;
}

}  // namespace

Topology multi_dimensional(const std::vector<Dimension>& dimensions) {
    Topology topology;
    add_gpus(topology, require_dimensions(dimensions));
    std::vector<Axis> axes;
    int stride = 1;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        if (dimensions[i].size > 1) {
            axes.push_back(add_axis(topology, dimensions[i], i, stride, dimensions.size() == 1));
            stride *= dimensions[i].size;
        }
    }
    topology.name = "multi-dimensional";
    topology.layout = TopologyLayout::grid;
    topology.bisection = bisection_of(dimensions, topology.gpus);
    set_levels(topology, strides_above(dimensions));
    topology.router = [axes](const Topology&, int source, int target, std::vector<LinkId>& route) {
        int at = source;
        for (const Axis& axis : axes) {
            const int to = position(axis, target);
            const int from = position(axis, at);
            if (from != to) {
                append_axis_route(axis, at, to, route);
                at += (to - from) * axis.stride;
            }
        }
    };
    return topology;
}

// Only by file: [[topology.dimension]] kind = "ring", "line", "fully-connected" or "switch", size, bytes_per_second,
// latency_seconds.
TopologyRow multi_dimensional_row() {
    const auto by_keys = [](const TopologyKeys& keys, int /*gpus*/) {
        std::vector<Dimension> dimensions;
        keys.for_each_table("dimension", [&](const TopologyKeys& table) {
            const std::size_t kind = table.choice("kind", {"ring", "line", "fully-connected", "switch"});
            const int size = table.whole("size", 1, most_of_a_part);
            const Wire wire = table.wire();
            dimensions.push_back({static_cast<DimensionKind>(kind), size, wire.bandwidth, wire.latency});
        });
        return multi_dimensional(dimensions);
    };
    return {
        .name = "multi-dimensional",
        .what = "",
        .keys = {"dimension[].kind", "dimension[].size", "dimension[].bytes_per_second", "dimension[].latency_seconds"},
        .by_keys = by_keys};
}

}  // namespace sim::network
