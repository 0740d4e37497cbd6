#include "tools/ndsim/network_choice.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/profile.hpp"
#include "libsim/config/topology_table.hpp"

#include <memory>

namespace sim::tools {

Cluster cluster_of(const NetworkChoice& choice, int ranks) {
    if (!choice.topology.empty() && !choice.profile.empty()) {
        throw config::UsageError("--topology and --profile both say what the links are; give one of them");
    }
    if (!choice.profile.empty()) {
        return config::read_profile(choice.profile, ranks);
    }
    Cluster cluster;
    cluster.name = choice.topology;
    cluster.network = FairShare{std::make_shared<const Topology>(config::read_topology(choice.topology, ranks))};
    return cluster;
}

}  // namespace sim::tools
