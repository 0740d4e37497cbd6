// has_rails() checks whether each GPU of a node has its own path to the other nodes.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topology.hpp"

namespace sim::network {

// True if no two of the routes from the GPUs of the first node to their counterparts on the second share a link. False
// if there is only one node. Cost: O(routes of a node).
bool has_rails(const Topology& topology);

}  // namespace sim::network
