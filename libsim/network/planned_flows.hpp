// Flows that are all known beforehand: when does each end?
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/flows.hpp"

#include <span>
#include <vector>

namespace sim::network {

struct PlannedFlow {
    double at = 0;  // picoseconds
    std::vector<LinkId> route;
    double bytes = 0;
};

// In picoseconds, one per flow. What FlowNetwork::start() requires holds for each. Cost: as of FlowNetwork.
std::vector<double> finish_times(const std::vector<FlowNetwork::Channel>& links, std::span<const PlannedFlow> flows);

}  // namespace sim::network
