// The table of topologies: every kind that a file may name, and every topology that has a name and needs nothing but a
// number of GPUs. Real systems (systems.hpp) have names alone.
//
// A topology of one's own is a file in this folder, and its row here (docs/how-to/add-a-topology.md).
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/topology_row.hpp"

namespace sim::network {

std::vector<TopologyRow> topologies();
// Those that have a name and need nothing but a number of GPUs; those that a file may name.
std::vector<TopologyRow> named_topologies();
std::vector<TopologyRow> kinds_of_topologies();
std::vector<std::string> names_of(const std::vector<TopologyRow>& rows);

// Throws ProgramError for a name that is none, with the nearest that is, and for a number of GPUs that does not fit,
// with the nearest numbers that do.
Topology named_topology(const std::string& name, int gpus);

}  // namespace sim::network
