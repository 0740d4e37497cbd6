// A topology is given by its name, by a file, or as the machine whose links it is made of.
#pragma once

#include "libsim/network/topology.hpp"

#include <string>
#include <vector>

namespace sim::predict {

// A named topology, a FILE.toml (config/topology_table.hpp), or a machine (training/hardware.hpp): the topology that
// its file names, or nodes and rails with its rates (network/topologies/topologies.hpp). `gpus` 0: as many as are
// usual. Throws UsageError.
Topology read_topology(const std::string& name_or_file, int gpus);

// The names of topologies and of machines, in this order.
std::vector<std::string> topology_and_machine_names();

}  // namespace sim::predict
