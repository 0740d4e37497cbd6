// A machine as a cluster: what the messages, collectives and FLOPs of any rank program cost on it.
//
// Messages and collectives by size take what the machine's network charges (network/nccl.hpp). A FLOP takes what it
// takes within a large matrix product in 16 bits, as training steps have it (Efficiency::gemm_peak); a unit of compute
// is a millisecond. Units of data have no price.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/training/machine.hpp"

namespace sim::training {

Cluster machine_cluster(const Machine& machine);

// The machine's bare links as a cluster: every message at the links' own rates (Machine::scale_up, scale_out), and at
// the latency of a hop of NCCL's protocol LL, but nothing else of what NCCL costs. No two messages disturb each other,
// and each GPU has its own card. Prices bytes alone; between nodes only where there are links.
Cluster wire_cluster(const Machine& machine);

}  // namespace sim::training
