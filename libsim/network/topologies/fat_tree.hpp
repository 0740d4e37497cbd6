// A fat tree connects GPUs by leaf switches, spines that connect all leaves, and a third level where two are not
// enough.
//
//       spine 0   spine 1  …       Two levels, 4 ports a switch:    leaves = ceil(n / down)
//        |   \   /   |             every leaf has one cable to      spines = up = down / oversubscription
//        |    \ /    |             every spine.                     cables = n + leaves x up
//        |    / \    |
//       leaf 0    leaf 1  …        Three levels: pods of radix / 2 leaves and `up` aggregation switches; each of these
//       /  \      /  \             has radix / 2 cables to cores, aggregation a of every pod to the same radix / 2.
//      0    1    2    3            cables = n + leaves x up + pods x up x radix / 2
//
// Room: one level, down (one leaf) · two, down x radix · three, down x radix / 2 x radix.  down = radix / 2 unless
// said. Route: up to the first switch above both, and down: 2 hops within a leaf, 4 within a pod (or under the spines),
// 6 across the cores; as many latencies; the least bandwidth. The destination (d-mod-k) or a hash selects the up-port
// (clos.hpp); it is the same one every time. Bisection bandwidth: n / 2 x bandwidth, divided by the oversubscription if
// there are spines. A bundle of parallel cables to one spine is as many spines here: the same routes, which meet in the
// same places. Levels: the GPUs of a leaf, those of a pod. Source: Leiserson, IEEE ToC 34 (1985); Al-Fares, Loukissas &
// Vahdat, SIGCOMM (2008); Zahavi (clos.hpp).
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/topology_row.hpp"

namespace sim::network {

enum class Ecmp : std::uint8_t { destination, hash };

struct FatTree {
    Wire wire;                  // to the leaves
    std::optional<Wire> trunk;  // between switches; empty: as `wire`
    int radix = 64;             // ports of a switch
    int down_ports = 0;         // of a leaf; 0: radix / 2
    int oversubscription = 1;   // down-ports of a leaf for each of its up-ports
    int levels = 0;             // 1, 2 or 3; 0: the fewest that do
    Ecmp ecmp = Ecmp::destination;
    std::uint64_t seed = 0;  // of the hash
};

// Throws ProgramError without a GPU or a bandwidth, where ports do not divide, or where the GPUs do not fit.
Topology fat_tree(int gpus, const FatTree& tree);

// By a number of GPUs: leaf and spine of the smallest switches that do, of 4, 8, … 128 ports; over 8,192 GPUs three
// levels of 64 ports. Of a file: radix, down_ports, oversubscription, levels, ecmp = "destination" or "hash", seed,
// trunk_bytes_per_second and trunk_latency_seconds (between switches).
TopologyRow fat_tree_row();

// Shared by the rows of all topologies that contain a fat tree.
KeyNames fat_tree_keys();
FatTree fat_tree_of(const TopologyKeys& keys);

}  // namespace sim::network
