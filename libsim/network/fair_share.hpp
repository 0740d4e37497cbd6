// This network treats messages as flows that share the links of a topology max-min fairly.
//
// A message of B bytes that is sent at t begins to drain at t plus the latencies of the links on its route, and from
// then on drains at its fair rate, which changes whenever a flow begins or ends (flows.hpp). Its sender is busy until
// it arrives; its receiver has it then, at no further cost. Asynchronous sends of one rank, and streams, drain
// concurrently. A message that has its links to itself takes latencies + B / (smallest bandwidth of its route), as on a
// uniform network. Prices bytes only.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topology.hpp"

#include <memory>

namespace sim::network {

struct FairShare {
    std::shared_ptr<const Topology> topology;
};

}  // namespace sim::network
