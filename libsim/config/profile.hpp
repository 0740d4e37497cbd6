// A profile sets the cost of compute and messages; it is given by name or as a TOML file.
//
//   kind = "units"                  kind = "uniform"
//   [compute]                       [compute]
//   seconds_per_unit = 0.1          flops_per_second = 1e15
//   slowdown = [1.0, 1.0, 2.5]      slowdown = [1.0, 2.5]           (may be left out)
//   [network]                       [network]
//   latency_seconds = 0.05          latency_seconds = 5e-6
//   seconds_per_data_unit = 0.01    bytes_per_second = 50e9
//   acknowledgement_seconds = 0.05  acknowledgement_seconds = 0     (may be left out: the latency; 0)
//
//   kind = "loggp"                  kind = "cluster"
//   [compute]                       [compute]
//   flops_per_second = 1e15         flops_per_second = 1e15
//   [network]                       [topology]                      (topology_table.hpp)
//   latency_seconds = 1e-6          name = "dgx-h100"
//   overhead_seconds = 200e-9       (this and all below may be left out: 0; no eager limit)
//   gap_seconds = 5e-9
//   gap_per_byte_seconds = 20e-12
//   overhead_per_byte_seconds = 0
//   eager_limit_bytes = 8192
//
// Both of these take seconds_per_unit in [compute], too, and bytes_per_unit in [network]: then scenarios, which count
// in units, run on them.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/config/toml_file.hpp"

#include <string>
#include <vector>

namespace sim::config {

// By name: gpu-py, in units; and in bytes the links of a lab, PCIe 3.0 x16 at 15 GB/s (lab-pcie), NVLink at 300 GB/s
// (lab-nvlink) and 10 Gb/s Ethernet at 1 GB/s (lab-10gbe), each with a latency of 467 us, where compute is free.
// A topology is made for so many ranks, where the file does not say how many GPUs it has.
// Throws UsageError with file, line, key and the nearest known name.
Cluster read_profile(const std::string& name_or_file, int ranks);
// The keys and values of such a file, from elsewhere; `name` is the cluster's, and that of the place in errors.
Cluster read_profile(const std::string& name, std::vector<TomlEntry> entries, int ranks);

std::vector<std::string> profile_names();

}  // namespace sim::config
