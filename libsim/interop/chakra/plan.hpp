// A plan is what a rank's program does for its trace: nodes on streams, in order, each behind its waits.
//
// The program comes to a node of another stream as soon as it has come past the computations that the node depends on.
// It waits for nodes of other streams on the stream of the node that depends on them, so that it never waits for what
// only another stream needs.
#pragma once

#include "libsim/interop/chakra/graph.hpp"
#include "libsim/interop/chakra/trace.hpp"

#include <cstdint>
#include <vector>

namespace sim::chakra {

struct Step {
    std::uint32_t node = 0;
    Stream stream = Stream::main;
    std::vector<std::uint32_t> waits;  // for steps of other streams
    bool is_awaited = false;
};
using Plan = std::vector<Step>;

struct PlanQuestion {
    const Graph& graph;
    // By node; none: it takes no time, and ends when what it depends on has ended.
    const std::vector<std::optional<Stream>>& streams;
    // All nodes, none before what it depends on.
    const std::vector<std::uint32_t>& order;
    // The order of the program itself, not only of each of its streams.
    bool keeps_order = false;
};

Plan plan_of(const PlanQuestion& question);

}  // namespace sim::chakra
