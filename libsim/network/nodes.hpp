// This network groups ranks into nodes, with one uniform network within each node and another, usually slower, between
// nodes.
//
// Ranks 0 … ranks_per_node-1 are on the first node, and so on. `within` prices a message within a node, `across` any
// other; as on a uniform network, no two transfers disturb each other. A rank sends one message at a time over both.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/uniform.hpp"

namespace sim::network {

struct Nodes {
    int ranks_per_node = 1;
    Uniform within;
    Uniform across;

    // The interface that the simulator requires (model.hpp).
    const Uniform& over(Hop hop) const { return hop == Hop::within ? within : across; }
    bool prices(Measure measure, Hop hop) const { return over(hop).prices(measure, hop); }
    Duration message_time(Size size, Hop hop) const { return over(hop).message_time(size, hop); }
    Duration acknowledgement_time(Hop hop) const { return over(hop).acknowledgement_time(hop); }
};

}  // namespace sim::network
