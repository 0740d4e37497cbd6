// Failures at random become failures at times that are drawn from their seed, of the nodes and network cards that the
// ranks of a run have.
#pragma once

#include "libsim/faults/injection.hpp"
#include "libsim/network/network.hpp"

#include <span>
#include <vector>

namespace sim::faults {

// The parts that a network, whichever it is, gives to the ranks of a run.
struct NetworkParts {
    std::vector<int> node_of;  // by rank; empty: the network has no nodes
    std::vector<int> cards;    // vertices of the topology; empty: there is none with cards, and each rank has its own
    int ranks = 0;

    int nodes() const;  // 0: there are none
    int card_count() const { return cards.empty() ? ranks : static_cast<int>(cards.size()); }
};
NetworkParts parts_of(const Network& network, int ranks);

// At most so many of each, the first ones.
inline constexpr int most_drawn = 1'000;

// The injections, without any RandomFailures. Throws ProgramError where there is no such part.
std::vector<Injection> drawn(std::span<const Injection> injections, int ranks, const Network& network);

}  // namespace sim::faults
