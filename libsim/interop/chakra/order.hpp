// The order in which nodes are handed to the streams of their ranks, where a trace says only what depends on what.
//
// It is that of a run on a network that costs nothing, in which a rank computes one node at a time: the one with the
// smallest id of those that may begin. So all ranks' streams keep one order, in which no node comes before what it
// depends on or meets: streams that carry out one node after another never wait for each other in a circle.
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
    const std::vector<std::vector<Duration>>& times;  // by rank and node: of computations; 0: none
    const Meetings& meetings;
};

// By rank. Throws DeadlockError, which names the nodes that wait for each other.
std::vector<std::vector<std::uint32_t>> order_of(const OrderQuestion& question);

}  // namespace sim::chakra
