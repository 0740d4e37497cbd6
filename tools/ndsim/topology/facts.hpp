// Topology facts describe a topology in numbers.
#pragma once

#include "libsim/network/topology.hpp"

#include <map>
#include <utility>

namespace sim::tools {

// Links alike: between the same two kinds of vertices, with the same bandwidth and latency. Both directions are
// counted.
struct LinkKind {
    VertexKind a = VertexKind::gpu;  // not after b
    VertexKind b = VertexKind::gpu;
    std::int64_t bytes_per_second = 0;
    Duration latency{0};
    friend auto operator<=>(const LinkKind&, const LinkKind&) = default;
};

struct RouteFacts {
    std::size_t hops = 0;
    Duration latency{0};
    std::int64_t bytes_per_second = INT64_MAX;  // the least of its links
};
RouteFacts route_facts(const Topology& topology, const std::vector<LinkId>& route);

struct TopologyFacts {
    std::map<VertexKind, std::int64_t> vertices;
    std::map<LinkKind, std::int64_t> links;
    // Over the routes from `sources` GPUs, spread evenly over all, to every other.
    int sources = 0;
    RouteFacts least;  // each its own: the fewest hops, the least latency, the least bandwidth
    RouteFacts most;
    double mean_hops = 0;
    Bandwidth bisection;
    bool by_formula = false;  // else: between halves in rank order
};

// Cost: all routes of up to 1,024 GPUs, else some million links of them.
TopologyFacts facts_of(const Topology& topology);

// "GPU", "NIC", "node switch", "network switch".
const char* name_of(VertexKind kind);
// GPU 0 and: its neighbour, the first GPUs beyond each level, the last one.
std::vector<std::pair<int, int>> example_pairs(const Topology& topology);

}  // namespace sim::tools
