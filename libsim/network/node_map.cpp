#include "libsim/network/node_map.hpp"

namespace sim::network {

NodeMap::NodeMap(int ranks_per_node, const std::vector<int>& places) : ranks_per_node_(ranks_per_node) {
    for (const int place : places) {
        nodes_.push_back(ranks_per_node > 0 ? place / ranks_per_node : 0);
    }
}

}  // namespace sim::network
