#include "libsim/network/footprint.hpp"

#include <algorithm>
#include <vector>

namespace sim::network {

Footprint footprint_of(const Group& places, int ranks_per_node) {
    const int members = places.size();
    if (ranks_per_node <= 0 || members == 1) {
        return {members, members};
    }
    const auto node = [&](int index) { return places.rank_at(index) / ranks_per_node; };
    int nodes = 0;
    if (!places.evenly_spaced()) {
        std::vector<int> all;
        for (int index = 0; index < members; ++index) {
            all.push_back(node(index));
        }
        std::sort(all.begin(), all.end());
        nodes = static_cast<int>(std::unique(all.begin(), all.end()) - all.begin());
    } else if (places.rank_at(1) - places.rank_at(0) >= ranks_per_node) {
        // Evenly spaced groups, the usual ones, need no look at each member.
        nodes = members;
    } else {
        nodes = node(members - 1) - node(0) + 1;
    }
    return {members, (members + nodes - 1) / nodes};
}

}  // namespace sim::network
