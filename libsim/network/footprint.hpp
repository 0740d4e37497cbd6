// A footprint describes how the members of a collective are placed on the nodes of a network.
#pragma once

#include "libsim/group.hpp"
#include "libsim/namespaces.hpp"

namespace sim::network {

// There are `members` in all, `on_node` of them on each node (fewer on the last). Each GPU has its own network card, so
// a group has as many cards on a node as it has members there.
// Requires: both at least 1.
struct Footprint {
    int members = 1;
    int on_node = 1;
    friend bool operator==(const Footprint&, const Footprint&) = default;
};

// The footprint of a group of GPUs. Constant time if evenly spaced, else O(n log n). 0 ranks per node: all share one.
Footprint footprint_of(const Group& places, int ranks_per_node);

}  // namespace sim::network
