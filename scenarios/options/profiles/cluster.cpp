// Kind "cluster".
#include "scenarios/options/profiles/kinds.hpp"
#include "scenarios/options/topology_table.hpp"

namespace sim::scenarios {

Cluster cluster_profile(const TomlReader& file, int ranks) {
    Cluster cluster;
    cluster.network = FairShare{
        std::make_shared<const Topology>(topology_of(file, "topology", ranks, compute_keys("flops_per_second")))};
    cluster.compute = read_flops(file);
    return cluster;
}

}  // namespace sim::scenarios
