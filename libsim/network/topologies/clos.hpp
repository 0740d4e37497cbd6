// This file holds the switch levels of a fat tree and the routes through them, for fat_tree.cpp and nodes_fat_tree.cpp.
// It is internal to topologies/.
//
// It is an extended generalised fat tree. Endpoints have ports; the switches of level l (1: leaves) come in groups,
// each of which reaches down_below[l] ports; a group has parallel[l] equivalent switches, and each switch of the level
// below has up[l] cables to them, one to each switch that extends its own number.
// A route climbs to the first level that has both ports in one group. Its up-cable at level l towards port d is:
//   by destination   (d / parallel[l - 1]) mod up[l]     d-mod-k: a shift of all endpoints never collides in a full
//   tree hash             of seed, both ports and l, mod up[l], like switches that hash the flow; flows may collide
// There is only one way down.
// Source: Öhring, Ibel, Das & Kumar, IPPS (1995); Zahavi, D-Mod-K routing providing non-blocking traffic for shift
// permutations on real life fat trees, Technion CCIT 776 (2010).
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/topologies.hpp"

namespace sim::network {

struct Clos {
    struct Level {
        int down_below = 1;     // ports under one group
        int groups = 0;         // of switches
        int up = 1;             // cables from each switch of the level below
        int parallel = 1;       // switches per group: the product of the `up`s
        int first_vertex = 0;   // group after group
        LinkId first_link = 0;  // each cable's up-link, then its down-link; level 1: by endpoint
    };
    std::vector<Level> levels;  // levels[0]: the endpoints
    int endpoints = 0;
    int rails = 1;  // endpoint e is on rail e mod rails; endpoints of one rail share leaves
    int per_leaf = 1;
    Ecmp ecmp = Ecmp::destination;
    std::uint64_t seed = 0;

    int port(int endpoint) const;
};

// Throws ProgramError if the endpoints do not fit, naming the most that do.
Clos clos_of(const FatTree& tree, int endpoints, int rails, std::string_view what);
// Adds switches and cables. `endpoint_vertex[e]` is the GPU or NIC that is plugged in.
void add_clos(Topology& topology, Clos& clos, const FatTree& tree, const std::vector<int>& endpoint_vertex);
// Appends the route from one endpoint's up-link to the other's down-link. Requires: two different endpoints; on the
// same rail if the levels end there.
void append_clos_route(const Clos& clos, int source, int target, std::vector<LinkId>& route);
// Half of the bandwidth of the narrowest level.
Bandwidth bisection_of(const Clos& clos, const FatTree& tree);

// The keys of a fat tree in a profile file, alone or above nodes.
KeyNames fat_tree_keys();
FatTree fat_tree_of(const TopologyKeys& keys);

}  // namespace sim::network
