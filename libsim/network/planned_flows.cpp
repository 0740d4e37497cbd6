#include "libsim/network/planned_flows.hpp"

namespace sim::network {

std::vector<double> finish_times(const std::vector<FlowNetwork::Channel>& links, std::span<const PlannedFlow> flows) {
    FlowNetwork network(links);
    // None has ended while they are started, so their numbers are all different.
    std::vector<std::size_t> by_number(flows.size());
    for (std::size_t i = 0; i < flows.size(); ++i) {
        by_number[network.start(flows[i].at, flows[i].route, flows[i].bytes)] = i;
    }
    std::vector<double> result(flows.size());
    std::vector<FlowNetwork::Ended> ended;
    while (network.next_event()) {
        ended.clear();
        network.advance(ended);
        for (const FlowNetwork::Ended& end : ended) {
            result[by_number[end.flow]] = end.at;
        }
    }
    return result;
}

}  // namespace sim::network
