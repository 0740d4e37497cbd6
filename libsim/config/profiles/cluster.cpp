// Profile kind "cluster".
#include "libsim/config/profiles/kinds.hpp"
#include "libsim/config/topology_table.hpp"

namespace sim::config {

Cluster cluster_profile(const TomlReader& file, int ranks) {
    Cluster cluster;
    cluster.network =
        FairShare{std::make_shared<const Topology>(topology_of(file, "topology", ranks, flops_or_units_keys()))};
    cluster.compute = read_flops_or_units(file);
    cluster.bytes_per_unit = read_bytes_per_unit(file);
    return cluster;
}

}  // namespace sim::config
