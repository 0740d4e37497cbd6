// What the choice of an algorithm asks of a cluster: which resources channels share, and how many GPUs a node has.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

Wiring wiring_of(const Cluster& cluster);

// 0: there are no nodes, or none is known.
int gpus_per_node(const Cluster& cluster);

}  // namespace sim::collectives
