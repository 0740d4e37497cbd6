// These functions turn a machine into a cluster: the prices of any rank program's messages, collectives and FLOPs on
// it.
//
// Messages and collectives of a size in bytes take what the machine's network charges (network/nccl.hpp). A FLOP takes
// its share of a large 16-bit GEMM, as in training steps (Efficiency::gemm_peak); a unit of compute is a millisecond.
// Units of data have no price.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/training/machine.hpp"

namespace sim::training {

Cluster machine_cluster(const Machine& machine);

// The machine's bare links as a cluster: every message takes the links' own rates (peer_rate() within a node,
// Machine::scale_out between nodes) and the hop latency of NCCL's LL protocol, but no other NCCL cost. Messages do not
// contend, and each GPU has its own network card. Prices only bytes; between nodes only if there are links.
Cluster wire_cluster(const Machine& machine);

// The rate of a copy from one GPU to another of its node: that of the links between them, or what passes through the
// host without peer-to-peer access.
double peer_rate(const Machine& machine);

}  // namespace sim::training
