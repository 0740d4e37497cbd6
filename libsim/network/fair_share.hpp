// This network treats messages as flows that share the links of a topology max-min fairly.
//
// A message of B bytes that is sent at t begins to drain at t plus the latencies of its route's links, and from then on
// at its fair rate, which changes whenever a flow begins or ends (flows.hpp). Its sender is busy until it arrives; its
// receiver has it then, and pays nothing more. Asynchronous sends of one rank, and streams, drain concurrently. Where a
// message has its links for itself it takes latencies + B / (smallest bandwidth of its route), as on a uniform network.
// Prices bytes only.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topology.hpp"

#include <memory>

namespace sim::network {

struct FairShare {
    std::shared_ptr<const Topology> topology;
};

}  // namespace sim::network
