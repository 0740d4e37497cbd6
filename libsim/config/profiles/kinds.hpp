// Each kind of profile file reads its own keys and refuses any other.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/config/toml_reader.hpp"

namespace sim::config {

struct ProfileKind {
    const char* name;
    // A cluster is made for so many ranks where the file does not say how many GPUs it has.
    Cluster (*read)(const TomlReader& file, int ranks);
};

// "units": compute and data in the abstract units of gpu-py, on one uniform network or on nodes of them.
Cluster units_profile(const TomlReader& file, int ranks);
// "uniform": the same in FLOPs and bytes.
Cluster uniform_profile(const TomlReader& file, int ranks);
// All others price compute in FLOPs, in units, or both, and data in bytes and, if the file says what a unit of it is,
// in units. Here are the network models that give the keys of their own numbers, such as "loggp": one kind each.
std::vector<ProfileKind> kinds_read_by_fields();
// "cluster": flows that share the links of a topology, made for so many ranks (topology_table.hpp).
Cluster cluster_profile(const TomlReader& file, int ranks);

// [compute]: "compute.RATE", and what every kind has beside it.
std::vector<std::string> compute_keys(const std::string& rate);
// Slow ranks and slow overlaps. Requires: the rate is set.
void read_slowdowns(const TomlReader& file, Compute& compute);
// The rate in FLOPs, and all that.
Compute read_flops(const TomlReader& file);
// The rate in FLOPs, in units, or both, and all that.
Compute read_flops_or_units(const TomlReader& file);
std::vector<std::string> flops_or_units_keys();
// "network.bytes_per_unit"; 0 where the file does not say.
std::int64_t read_bytes_per_unit(const TomlReader& file);

}  // namespace sim::config
