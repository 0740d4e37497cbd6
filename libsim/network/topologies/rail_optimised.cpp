#include "libsim/network/topologies/rail_optimised.hpp"

namespace sim::network {

Topology rail_optimised(int gpus, NodeTree options) {
    if (options.rails == 1) {
        options.rails = options.node.nics;
    }
    return nodes_fat_tree(gpus, options);
}

TopologyRow rail_optimised_row() {
    return {.name = "rail-optimised",
            .what = "",
            .keys = node_tree_keys(),
            .by_keys = [](const TopologyKeys& keys, int gpus) { return rail_optimised(gpus, node_tree_of(keys)); }};
}

}  // namespace sim::network
