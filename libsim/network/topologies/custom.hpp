// Any topology: a list of vertices and a list of links between them, by name.
//
//     vertices  a (gpu), b (gpu), s (network_switch)       links  a - s, b - s
//
// Rank r is the r-th GPU of the list. GPUs, cards and switches all pass on what is not for them.
// Route: the fewest hops. Where k ways on are equally short, the one of number  (target / d) mod k  in the order of the
// links, d being the product of the earlier k of the route: in a fat tree that is d-mod-k (clos.hpp), so its spines
// are used evenly. The same route every time. Latencies add up; the bandwidth is the least of all.
// Cost: O(GPUs x (vertices + links)) once, by a search from every GPU; 2 bytes for each GPU and vertex. A route looks
// at the links of the vertices on its way.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/topology_row.hpp"

namespace sim::network {

struct CustomLink {
    std::string from;
    std::string to;
    Wire wire;
    bool both_ways = true;
    std::string label;  // what complaints call it; empty: its number, from 1
};

struct CustomTopology {
    std::string name = "custom";
    std::vector<Vertex> vertices;
    std::vector<CustomLink> links;
};

// Throws ProgramError: a vertex or link that is there twice, a name that is unknown (and the nearest), a bandwidth or
// latency that cannot be, no GPU, GPUs that do not reach each other (by name).
Topology custom(const CustomTopology& options);

// Of a file: [[topology.vertex]] name, kind = "gpu", "nic", "node_switch" or "network_switch"; [[topology.link]] from,
// to, both_ways = true, bytes_per_second, latency_seconds.
TopologyRow custom_row();

}  // namespace sim::network
