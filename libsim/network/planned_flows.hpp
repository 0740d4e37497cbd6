// finish_times() computes the time at which each flow ends if all flows are known beforehand.
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

// The ends in picoseconds, one per flow. Each flow must meet the requirements of FlowNetwork::start(). Cost: that of
// FlowNetwork.
std::vector<double> finish_times(const std::vector<FlowNetwork::Channel>& links, std::span<const PlannedFlow> flows);

}  // namespace sim::network
