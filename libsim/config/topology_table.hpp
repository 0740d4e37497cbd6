// Topologies by name, or from a TOML file.
//
// clang-format off
//   [topology]                     kinds, and what each takes beside bytes_per_second and latency_seconds (0):
//   name = "dgx-h100"                ring, switch, fully-connected
//                                    torus              sizes = [4, 4], or dimensions = 2: as equal as can be
//   [topology]                       multi-dimensional  [[topology.dimension]] kind = "ring", "line", "switch" or
//   kind = "fat-tree"                                   "fully-connected", size, bytes_per_second, latency_seconds;
//   bytes_per_second = 50e9                             none of the two beside
//   latency_seconds = 500e-9         fat-tree           radix, down_ports, oversubscription, levels, ecmp =
//   radix = 64                                          "destination" or "hash", seed, trunk_bytes_per_second and
//   oversubscription = 2                                trunk_latency_seconds (between switches)
//   gpus = 128                       node               gpus_per_node, nics_per_node, link_bytes_per_second,
//                                                       link_latency_seconds, pcie_bytes_per_second,
//   [topology]                                          pcie_latency_seconds
//   kind = "custom"                  nodes-fat-tree,    as node and fat-tree, whose bytes_per_second and
//   [[topology.vertex]]              rail-optimised     latency_seconds are those of a card; rails
//   name = "a"                       dragonfly          gpus_per_router, routers_per_group, global_ports,
//   kind = "gpu"                                        local_bytes_per_second … and global_…
//   [[topology.link]]                custom             [[topology.vertex]] name, kind = "gpu", "nic", "node_switch"
//   from = "a"                                          or "network_switch"; [[topology.link]] from, to, both_ways =
//   to = "b"                                            true, bytes_per_second, latency_seconds
// clang-format on
//
// `gpus` may be left out: then as many as there are ranks.
#pragma once

#include "libsim/config/toml_reader.hpp"
#include "libsim/network/topology.hpp"

namespace sim::scenarios {

// NAME (libsim/network/topologies/named.hpp) or FILE.toml, whose keys stand in [topology] or at the top. Where the file
// does not say how many GPUs there are, `gpus`; where it says more, more. With gpus == 0 what the file says, or 16.
// Throws UsageError, with file, line and key, and where there are fewer GPUs than `gpus`.
Topology read_topology(const std::string& name_or_file, int gpus);

// The table `table` of a file; at the top if it is empty. `others` are the file's keys outside of it.
Topology topology_of(const TomlReader& file, const std::string& table, int gpus, std::vector<std::string> others);

}  // namespace sim::scenarios
