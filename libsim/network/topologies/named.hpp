// This table lists every kind of topology that a file may name, and every named topology that needs only a number of
// GPUs. Real systems (systems.cpp) have a name but no kind.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/topology_row.hpp"

namespace sim::network {

std::vector<TopologyRow> topologies();
// The rows with a name that need only a number of GPUs; the rows that a file may name.
std::vector<TopologyRow> named_topologies();
std::vector<TopologyRow> kinds_of_topologies();
std::vector<std::string> names_of(const std::vector<TopologyRow>& rows);

// Throws ProgramError for an unknown name, suggesting the nearest known one, and for a number of GPUs that does not
// fit, suggesting the nearest that do.
Topology named_topology(const std::string& name, int gpus);

}  // namespace sim::network
