// A topology's facts as text and as JSON.
#pragma once

#include "tools/ndsim/topology_facts.hpp"

#include <optional>
#include <string>

namespace sim::scenarios {

using RankPair = std::pair<int, int>;

std::string topology_text(const Topology& topology, const TopologyFacts& facts);
// Every hop from the first to the second, with its bandwidth and latency.
std::string route_text(const Topology& topology, const RankPair& ends);
// With `route`: its hops, too.
std::string topology_json(const Topology& topology, const TopologyFacts& facts, const std::optional<RankPair>& ends);
// The names that --topology knows, one a line.
std::string topology_list(bool json);

}  // namespace sim::scenarios
