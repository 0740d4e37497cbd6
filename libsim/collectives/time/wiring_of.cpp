#include "libsim/collectives/time/wiring_of.hpp"

#include "libsim/network/routes.hpp"

namespace sim::collectives {

Wiring wiring_of(const Cluster& cluster) {
    const auto topology = shared_topology(cluster.network);
    return topology == nullptr ? Wiring::private_links : has_rails(*topology) ? Wiring::rails : Wiring::shared_links;
}

int gpus_per_node(const Cluster& cluster) {
    const auto topology = shared_topology(cluster.network);
    return topology != nullptr ? topology->gpus_per_node() : ranks_per_node(cluster);
}

}  // namespace sim::collectives
