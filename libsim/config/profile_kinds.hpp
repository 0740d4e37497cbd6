// Each kind of profile file reads its own keys and refuses any other.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/config/toml_reader.hpp"

namespace sim::config {

struct ProfileKind {
    const char* name;
    // A cluster gets `ranks` GPUs unless the file gives a number.
    Cluster (*read)(const TomlReader& file, int ranks);
};

// "units": compute and data in the abstract units of gpu-py, on one uniform network or on nodes of it.
Cluster units_profile(const TomlReader& file, int ranks);
// "uniform": the same in FLOPs and bytes.
Cluster uniform_profile(const TomlReader& file, int ranks);
// All other kinds price compute in FLOPs, units, or both, and data in bytes and, if the file gives the bytes of a unit,
// in units. This returns one kind for each network model that reads its own fields, such as "loggp".
std::vector<ProfileKind> kinds_read_by_fields();
// "cluster": flows that share the links of a topology, which gets `ranks` GPUs by default (topology_table.hpp).
Cluster cluster_profile(const TomlReader& file, int ranks);

// The keys of [compute]: "compute.RATE", and those that every kind has.
std::vector<std::string> compute_keys(const std::string& rate);
// Reads slow ranks and slow overlaps. Requires: the rate is set.
void read_slowdowns(const TomlReader& file, Compute& compute);
// Reads the rate in FLOPs, and the slowdowns.
Compute read_flops(const TomlReader& file);
// Reads the rate in FLOPs, in units, or both, and the slowdowns.
Compute read_flops_or_units(const TomlReader& file);
std::vector<std::string> flops_or_units_keys();
// "network.bytes_per_unit"; 0 if the file does not set it.
std::int64_t read_bytes_per_unit(const TomlReader& file);

}  // namespace sim::config
