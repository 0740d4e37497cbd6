// All GPUs are connected to one switch that never blocks.
//
//            switch           n GPUs: n cables, 2 n links
//         /  |  |  \          .
//        0   1  2   3
//
// Route: 2 hops, up and down: two latencies, the bandwidth of one cable. Flows meet only where they leave one GPU or
// reach one GPU.
// Bisection bandwidth: floor(n/2) cables, each way: as much as the GPUs of one half can send.
// Source: Dally & Towles, Principles and Practices of Interconnection Networks (2004), chapter 2.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/topology_row.hpp"

namespace sim::network {

// Throws ProgramError without a GPU or a bandwidth.
Topology single_switch(int gpus, const Wire& wire);

TopologyRow single_switch_row();

}  // namespace sim::network
