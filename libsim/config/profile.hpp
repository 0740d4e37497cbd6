// A profile sets the cost of compute and messages; it is given by name or as a TOML file.
//
//   kind = "units"                  kind = "uniform"
//   [compute]                       [compute]
//   seconds_per_unit = 0.1          flops_per_second = 1e15
// slowdown = [1.0, 1.0, 2.5]      slowdown = [1.0, 2.5]           (optional)
//   [network]                       [network]
//   latency_seconds = 0.05          latency_seconds = 5e-6
//   seconds_per_data_unit = 0.01    bytes_per_second = 50e9
// acknowledgement_seconds = 0.05  acknowledgement_seconds = 0     (optional; default: the latency; 0)
//
//   kind = "loggp"                  kind = "cluster"
//   [compute]                       [compute]
//   flops_per_second = 1e15         flops_per_second = 1e15
//   [network]                       [topology]                      (topology_table.hpp)
//   latency_seconds = 1e-6          name = "dgx-h100"
// overhead_seconds = 200e-9       (this and all below are optional; default: 0, no eager limit)
//   gap_seconds = 5e-9
//   gap_per_byte_seconds = 20e-12
//   overhead_per_byte_seconds = 0
//   eager_limit_bytes = 8192
//
// These last two kinds also take seconds_per_unit in [compute] and bytes_per_unit in [network], so that scenarios,
// which count in units, can run on them.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/config/toml_file.hpp"

#include <string>
#include <vector>

namespace sim::config {

// Accepts a file or a name: gpu-py, in units; or the links of a lab in bytes, with free compute and a latency of 467 us
// each: PCIe 3.0 x16 at 15 GB/s (lab-pcie), NVLink at 300 GB/s (lab-nvlink) and 10 Gb/s Ethernet at 1 GB/s (lab-10gbe).
// A topology gets `ranks` GPUs unless the file gives a number. Throws UsageError with file, line, key and the nearest
// known name.
Cluster read_profile(const std::string& name_or_file, int ranks);
// The same for keys and values that come from elsewhere; `name` names the cluster, and the place in errors.
Cluster read_profile(const std::string& name, std::vector<TomlEntry> entries, int ranks);

std::vector<std::string> profile_names();

}  // namespace sim::config
