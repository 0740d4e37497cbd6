// The nodes and network cards that the ranks of a run have, on whichever network.
#pragma once

#include "libsim/network/network.hpp"

#include <vector>

namespace sim::faults {

struct NetworkParts {
    std::vector<int> node_of;  // by rank; empty: the network has no nodes
    std::vector<int> cards;    // vertices of the topology; empty: there is none with cards, and each rank has its own
    int ranks = 0;

    int nodes() const;  // 0: there are none
    int card_count() const { return cards.empty() ? ranks : static_cast<int>(cards.size()); }
};
NetworkParts parts_of(const Network& network, int ranks);

}  // namespace sim::faults
