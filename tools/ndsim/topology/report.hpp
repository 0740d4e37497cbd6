// The topology report prints a topology's facts as text and as JSON.
#pragma once

#include "libsim/network/topology.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"
#include "tools/ndsim/topology/facts.hpp"

#include <optional>
#include <string>

namespace sim::tools {

using RankPair = std::pair<int, int>;

std::string topology_text(const Topology& topology, const TopologyFacts& facts);
// Every hop from the first rank to the second, with its bandwidth and latency.
std::string route_text(const Topology& topology, const RankPair& ends);
// The facts, and with `route` its hops, too.
std::string topology_json(const Topology& topology, const TopologyFacts& facts, const std::optional<RankPair>& ends);
// A row for each kind of link, and one for each hop from the first rank to the second.
report::Table links_of(const TopologyFacts& facts);
report::Table hops_of(const Topology& topology, const RankPair& ends);

// The names that --topology accepts, one per line.
std::string topology_list();
std::string topology_list_json();
report::Table topology_names();

// The texts of topology.schema.json and of its tables in columns.json.
report::SchemaText topology_schema();
report::SchemaText topology_columns();

// A drawing shows a topology as an SVG picture: layers of switches above GPUs, a circle, a grid, or groups in a circle,
// according to its layout.
//
// Up to 128 GPUs each have a box of their own; beyond that, neighbours share boxes labelled with their number. A line
// stands for all cables between two boxes; its colour is their bandwidth.
std::string drawing_of(const Topology& topology);

}  // namespace sim::tools
