// Topology facts describe a topology by numbers: its vertices, its links, and the routes between its GPUs.
#pragma once

#include "libsim/network/topology.hpp"

#include <map>
#include <utility>

namespace sim::tools {

// A kind of link: links between the same two kinds of vertices, with the same bandwidth and latency. Both directions
// count.
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
    std::int64_t bytes_per_second = INT64_MAX;  // the minimum over its links
};
RouteFacts route_facts(const Topology& topology, const std::vector<LinkId>& route);

struct TopologyFacts {
    std::map<VertexKind, std::int64_t> vertices;
    std::map<LinkKind, std::int64_t> links;
    // The following are over the routes from `sources` GPUs, spread evenly over all, to every other GPU.
    int sources = 0;
    RouteFacts least;  // each field's own minimum
    RouteFacts most;
    double mean_hops = 0;
    Bandwidth bisection;
    bool by_formula = false;  // false: between the halves in rank order
};

// Cost: follows all routes of up to 1,024 GPUs; beyond that, routes with a few million links in total.
TopologyFacts facts_of(const Topology& topology);

// "GPU", "NIC", "node switch", "network switch".
const char* name_of(VertexKind kind);
// Pairs of GPU 0 with its neighbour, with the first GPU beyond each level, and with the last GPU.
std::vector<std::pair<int, int>> example_pairs(const Topology& topology);

}  // namespace sim::tools
