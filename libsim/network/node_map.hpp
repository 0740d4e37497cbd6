// The node map gives the node of each rank, and so the hop of a message.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/model.hpp"

#include <vector>

namespace sim::network {

class NodeMap {
public:
    // Ranks 0 … ranks_per_node-1 are on the first node, and so on. 0: there are no nodes, so every hop is within one.
    explicit NodeMap(int ranks_per_node = 0) : ranks_per_node_(ranks_per_node) {}
    // Rank i takes the place of rank places[i]. Requires: a place for each rank that is queried.
    NodeMap(int ranks_per_node, const std::vector<int>& places) : ranks_per_node_(ranks_per_node) {
        for (const int place : places) {
            nodes_.push_back(ranks_per_node > 0 ? place / ranks_per_node : 0);
        }
    }

    bool has_nodes() const { return ranks_per_node_ > 0; }
    int ranks_per_node() const { return ranks_per_node_; }
    // Requires: has_nodes().
    int node(int rank) const {
        return nodes_.empty() ? rank / ranks_per_node_ : nodes_[static_cast<std::size_t>(rank)];
    }
    Hop hop(int a, int b) const { return has_nodes() && node(a) != node(b) ? Hop::across : Hop::within; }
    // The number of ranks it covers; 0: all.
    std::size_t size() const { return nodes_.size(); }

private:
    int ranks_per_node_;
    std::vector<int> nodes_;  // by rank; empty: derived from the rank number
};

}  // namespace sim::network
