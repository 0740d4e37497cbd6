// A graph of dependencies holds, for each node of one rank, the nodes that must have ended before it begins.
#pragma once

#include "libsim/interop/chakra/trace.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sim::chakra {

// By place in the trace's list of nodes, each dependency once.
using Graph = std::vector<std::vector<std::uint32_t>>;

// Throws UsageError, which begins with `file`: two nodes with one id, a dependency that is no node, or a cycle.
// Requires: nodes by rising id.
Graph graph_of(const RankTrace& trace, const std::string& file);

}  // namespace sim::chakra
