// These functions turn random failures into failures at fixed times, drawn from their seed, of the nodes and network
// cards that the ranks of a run use.
#pragma once

#include "libsim/faults/injection.hpp"
#include "libsim/network/network.hpp"

#include <span>
#include <vector>

namespace sim::faults {

// The parts that the ranks of a run use on any network.
struct NetworkParts {
    std::vector<int> node_of;  // by rank; empty: the network has no nodes
    std::vector<int> cards;    // vertices of the topology; empty: it has no cards, and each rank has its own
    int ranks = 0;

    int nodes() const;  // 0: there are none
    int card_count() const { return cards.empty() ? ranks : static_cast<int>(cards.size()); }
};
NetworkParts parts_of(const Network& network, int ranks);

// At most this many failures are drawn per injection: the first ones.
inline constexpr int most_drawn = 1'000;

// The injections with each RandomFailures replaced by the failures drawn. Throws ProgramError if no such part exists.
std::vector<Injection> drawn(std::span<const Injection> injections, int ranks, const Network& network);

}  // namespace sim::faults
