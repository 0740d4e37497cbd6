// A dependency graph holds, for each node of one rank, the nodes that must end before it begins.
#pragma once

#include "libsim/interop/chakra/trace.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sim::chakra {

// Indexed like the trace's list of nodes; each dependency appears once.
using Graph = std::vector<std::vector<std::uint32_t>>;

// Throws UsageError, which begins with `file`, for two nodes with one id, a dependency that is not a node, or a cycle.
// Requires: nodes in ascending order of id.
Graph graph_of(const RankTrace& trace, const std::string& file);

}  // namespace sim::chakra
