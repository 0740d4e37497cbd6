#include "libsim/network/topologies/rail_optimised.hpp"

namespace sim {

Topology rail_optimised(int gpus, NodeTree options) {
    if (options.rails == 1) {
        options.rails = options.node.nics;
    }
    return nodes_fat_tree(gpus, options);
}

}  // namespace sim
