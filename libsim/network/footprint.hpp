// A footprint describes how the members of a collective are placed on the nodes of a network.
#pragma once

#include "libsim/group.hpp"
#include "libsim/namespaces.hpp"

namespace sim::network {

// There are `members` in all, `on_node` of them on each node (fewer on the last). Each GPU has its own network card, so
// a node has as many cards as members.
// Requires: both at least 1.
struct Footprint {
    int members = 1;
    int on_node = 1;
    friend bool operator==(const Footprint&, const Footprint&) = default;
};

// The footprint of GPUs by their places. Constant time if evenly spaced, else n log n. 0 ranks a node: all are on one.
Footprint footprint_of(const Group& places, int ranks_per_node);

}  // namespace sim::network
