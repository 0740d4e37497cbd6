// This function orders the nodes on the streams of their ranks if a trace gives only dependencies.
//
// The order is that of a run on a network that costs nothing, in which a rank computes one node at a time: the ready
// node with the smallest id. All ranks' streams thus keep one common order, in which no node precedes its dependencies
// or its partners, so streams that execute their nodes in sequence never deadlock.
#pragma once

#include "libsim/interop/chakra/files.hpp"
#include "libsim/interop/chakra/graph.hpp"
#include "libsim/interop/chakra/meetings.hpp"

#include <cstdint>
#include <vector>

namespace sim::chakra {

struct OrderQuestion {
    const Traces& traces;
    const std::vector<Graph>& graphs;                 // by rank
    const std::vector<std::vector<Duration>>& times;  // computation time by rank and node; 0: none
    const Meetings& meetings;
};

// Orders by rank. Throws DeadlockError, which names the nodes that wait for each other.
std::vector<std::vector<std::uint32_t>> order_of(const OrderQuestion& question);

}  // namespace sim::chakra
