// These functions read a topology, which is given by name, as a file, or as the machine whose links it consists of.
#pragma once

#include "libsim/network/topology.hpp"

#include <string>
#include <vector>

namespace sim::predict {

// Takes a named topology, a FILE.toml (config/topology_table.hpp), or a machine (training/hardware.hpp): the topology
// that the machine's file names, or nodes and rails with its rates (network/topologies/topologies.hpp). `gpus` 0: the
// usual number. Throws UsageError.
Topology read_topology(const std::string& name_or_file, int gpus);

// The names of topologies and of machines, in this order.
std::vector<std::string> topology_and_machine_names();

}  // namespace sim::predict
