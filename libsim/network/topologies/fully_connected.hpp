// Every GPU has a cable to every other one.
//
//     0 --- 1         n GPUs: n (n - 1) / 2 cables, n (n - 1) links
//     | \ / |
//     | / \ |
//     3 --- 2
//
// Route: 1 hop, one latency, the bandwidth of one cable. No two pairs share a link.
// Bisection bandwidth: floor(n/2) ceil(n/2) cables, each way.
// Source: Dally & Towles, Principles and Practices of Interconnection Networks (2004), chapter 3.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/topology_row.hpp"

namespace sim::network {

// Throws ProgramError without a GPU or a bandwidth, or with more links than can be built (5,793 GPUs).
Topology fully_connected(int gpus, const Wire& wire);

TopologyRow fully_connected_row();

}  // namespace sim::network
