#include "libsim/faults/network_parts.hpp"

#include <algorithm>

namespace sim::faults {

int NetworkParts::nodes() const {
    return node_of.empty() ? 0 : *std::max_element(node_of.begin(), node_of.end()) + 1;
}

NetworkParts parts_of(const Network& network, int ranks) {
    NetworkParts parts{.ranks = ranks};
    const NodeMap nodes = node_map(network);
    const auto topology = shared_topology(network);
    for (int rank = 0; (topology || nodes.has_nodes()) && rank < ranks; ++rank) {
        parts.node_of.push_back(topology ? rank / topology->gpus_per_node() : nodes.node(rank));
    }
    for (std::size_t vertex = 0; topology && vertex < topology->vertices.size(); ++vertex) {
        if (topology->vertices[vertex].kind == VertexKind::nic) {
            parts.cards.push_back(static_cast<int>(vertex));
        }
    }
    return parts;
}

}  // namespace sim::faults
