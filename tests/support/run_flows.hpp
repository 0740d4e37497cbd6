// Flows through a FlowNetwork, all known beforehand, until the last has ended.
#pragma once

#include "tests/support/plain_flows.hpp"

#include <map>
#include <numeric>

namespace sim::test {

// When each flow ends, in their order, if they are started in `order`.
inline std::vector<double> finish_times(const std::vector<FlowNetwork::Channel>& links,
                                        const std::vector<PlainFlow>& flows, const std::vector<std::size_t>& order) {
    FlowNetwork network(links);
    std::map<FlowNetwork::FlowId, std::size_t> started;
    for (const std::size_t i : order) {
        started[network.start(flows[i].start, flows[i].route, flows[i].bytes)] = i;
    }
    std::vector<double> result(flows.size(), -1);
    std::vector<FlowNetwork::Ended> ended;
    while (network.next_event()) {
        ended.clear();
        network.advance(ended);
        for (const FlowNetwork::Ended& end : ended) {
            result[started.at(end.flow)] = end.at;
        }
    }
    return result;
}

inline std::vector<double> finish_times(const std::vector<FlowNetwork::Channel>& links,
                                        const std::vector<PlainFlow>& flows) {
    std::vector<std::size_t> order(flows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return finish_times(links, flows, order);
}

}  // namespace sim::test
