// Whether each GPU of a node has a way of its own to the other nodes.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topology.hpp"

namespace sim::network {

// No two of the routes from the GPUs of the first node to their likes on the second have a link in common. False where
// there is one node only. Cost: O(routes of a node).
bool has_rails(const Topology& topology);

}  // namespace sim::network
