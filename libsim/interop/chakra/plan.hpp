// A plan is what a rank's program does for its trace: nodes on streams, in order, each after its waits.
//
// The program issues a node of another stream as soon as it is past the computations that the node depends on. Waits
// for other streams happen on the stream of the dependent node, so that the program never waits for something that only
// another stream needs.
#pragma once

#include "libsim/interop/chakra/graph.hpp"
#include "libsim/interop/chakra/trace.hpp"

#include <cstdint>
#include <vector>

namespace sim::chakra {

struct Step {
    std::uint32_t node = 0;
    Stream stream = Stream::main;
    std::vector<std::uint32_t> waits;  // steps of other streams
    bool is_awaited = false;
};
using Plan = std::vector<Step>;

struct PlanQuestion {
    const Graph& graph;
    // Stream by node; a node without one takes no time, and ends when its dependencies have ended.
    const std::vector<std::optional<Stream>>& streams;
    // All nodes, each after its dependencies.
    const std::vector<std::uint32_t>& order;
    // Keeps the order of the whole program, not only that of each of its streams.
    bool keeps_order = false;
};

Plan plan_of(const PlanQuestion& question);

}  // namespace sim::chakra
