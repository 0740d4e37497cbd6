#include "libsim/collectives/time/collective_ways.hpp"

namespace sim::collectives {

std::vector<MemberClock> member_clocks(const CollectiveQuestion& question) {
    std::vector<MemberClock> members(question.ranks.size());
    for (std::size_t i = 0; i < question.arrivals.size(); ++i) {
        members[i].time = question.arrivals[i];
        members[i].send_port_free = question.arrivals[i];
    }
    return members;
}

LinkCosts link_costs(const CollectiveQuestion& question) {
    const Cluster& cluster = question.cluster;
    std::vector<int> node;
    if (const int per_node = ranks_per_node(cluster); per_node > 0) {
        for (const int rank : question.ranks) {
            node.push_back(rank / per_node);
        }
    }
    const auto price = [&cluster, chunk = chunk_of(question)](Hop hop, int chunks) {
        return transfer_time(cluster, message_of(chunk, chunks), hop);
    };
    return {price,
            {acknowledgement_time(cluster, Hop::within), acknowledgement_time(cluster, Hop::across)},
            std::move(node)};
}

}  // namespace sim::collectives
