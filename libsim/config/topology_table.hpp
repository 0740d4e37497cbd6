// A topology is given by name, or as a table in a TOML file.
//
//   [topology]                     a name of libsim/network/topologies/named.hpp
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
// `gpus` may be left out: then as many as there are ranks.
#pragma once

#include "libsim/config/toml_reader.hpp"
#include "libsim/network/topology.hpp"

namespace sim::config {

// NAME (libsim/network/topologies/named.hpp) or FILE.toml, whose keys stand in [topology] or at the top. Where the file
// does not say how many GPUs there are, `gpus`; where it says more, more. With gpus == 0 what the file says, or 16.
// Throws UsageError, with file, line and key, and where there are fewer GPUs than `gpus`.
Topology read_topology(const std::string& name_or_file, int gpus);

// The table `table` of a file; at the top if it is empty. `others` are the file's keys outside of it.
Topology topology_of(const TomlReader& file, const std::string& table, int gpus, std::vector<std::string> others);

}  // namespace sim::config
