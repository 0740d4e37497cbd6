// A topology is given by name, or as a table in a TOML file.
//
//   [topology]                     a name of libsim/network/topologies/topologies.hpp
//   name = "dgx-h100"
//
//   [topology]                     a kind, and the keys that its file in libsim/network/topologies/ lists beside
//   kind = "fat-tree"              bytes_per_second and latency_seconds (0)
//   bytes_per_second = 50e9
//   latency_seconds = 500e-9
//   radix = 64
//   oversubscription = 2
//   gpus = 128
//
// `gpus` is optional and defaults to the number of ranks.
#pragma once

#include "libsim/config/toml_reader.hpp"
#include "libsim/network/topology.hpp"

namespace sim::config {

// NAME (libsim/network/topologies/topologies.hpp) or FILE.toml, whose keys are in [topology] or at the top level. The
// file's own number of GPUs takes precedence and may exceed `gpus`, which is the default; with gpus == 0 the default
// is 16. Throws UsageError, with file, line and key, also if there are fewer GPUs than `gpus`.
Topology read_topology(const std::string& name_or_file, int gpus);

// The table `table` of a file; at the top level if empty. `others` are the file's keys outside it.
Topology topology_of(const TomlReader& file, const std::string& table, int gpus, std::vector<std::string> others);

}  // namespace sim::config
