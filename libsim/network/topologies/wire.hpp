// These helpers create the GPUs and cables of a topology and report errors in both. They are internal to topologies/.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topology.hpp"

#include <string_view>

namespace sim::network {

// The bandwidth of one direction of a cable, and its latency to the other end.
struct Wire {
    Bandwidth bandwidth;
    Duration latency{0};
};

// Both throw ProgramError starting with `what`, as in "a ring of GPUs: the bandwidth must be above 0, not 0 bytes/s".
void require_wire(const Wire& wire, std::string_view what);
void require_gpus(int gpus, std::string_view what);
// Allows at most 2^25 links, 800 MB: more would not fit into memory.
void require_links(std::int64_t links, std::string_view what);

// The total bandwidth of that many links, capped at what 64 bits hold.
Bandwidth together(std::int64_t links, Bandwidth each);

// GPUs "gpu 0", "gpu 1", …
void add_gpus(Topology& topology, int gpus);
// Returns its number.
int add_vertex(Topology& topology, std::string name, VertexKind kind);
// A link from `a` to `b`, and after it one from `b` to `a`.
void add_cable(Topology& topology, int a, int b, const Wire& wire);
// Keeps as levels those of `groups` that divide each other and all GPUs, and are more than one GPU and fewer than all.
void set_levels(Topology& topology, const std::vector<std::int64_t>& groups);

}  // namespace sim::network
