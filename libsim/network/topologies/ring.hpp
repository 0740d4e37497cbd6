// A ring connects GPUs in a circle, each with a cable to the next.
//
//     0 -- 1 -- 2 -- 3        n GPUs: n cables, 2 n links (two GPUs: one cable; one GPU: none)
//     |              |
//     7 -- 6 -- 5 -- 4
//
// Route: the shorter way round; where both are equal, upwards, 0 to 1 to 2 … Of d = min(|a - b|, n - |a - b|) hops:
// d latencies, the bandwidth of one cable. On average n / 4 hops.
// Bisection bandwidth: 2 cables (two GPUs: 1), each way.
// Source: Dally & Towles, Principles and Practices of Interconnection Networks (2004), chapter 5.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/topology_row.hpp"

namespace sim::network {

// Throws ProgramError without a GPU or a bandwidth.
Topology ring(int gpus, const Wire& wire);

TopologyRow ring_row();

}  // namespace sim::network
