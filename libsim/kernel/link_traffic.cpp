#include "libsim/kernel/link_traffic.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::kernel {

namespace {

const Topology& with_room_for(int ranks, const Topology& topology) {
    if (topology.gpus < ranks) {
        throw ProgramError(
            fmt::format("{} ranks do not fit onto the {} GPUs of {}", ranks, topology.gpus, topology.name));
    }
    return topology;
}

}  // namespace

LinkTraffic::LinkTraffic(std::shared_ptr<const Topology> topology, int ranks)
    : topology_(std::move(topology)), flows_(with_room_for(ranks, *topology_)) {}

void LinkTraffic::start(TransferId transfer, int source, int target, std::int64_t bytes, Time at) {
    route_.clear();
    topology_->append_route(source, target, route_);
    // A flow's end may be rounded down by less than a thousandth of a picosecond.
    const double from = std::max(static_cast<double>(at.time_since_epoch().count()), flows_.now());
    const FlowNetwork::FlowId flow = flows_.start(from, route_, static_cast<double>(bytes));
    if (flow >= transfer_of_.size()) {
        transfer_of_.resize(flow + std::size_t{1});
    }
    transfer_of_[flow] = transfer;
    ++under_way_;
}

std::optional<Time> LinkTraffic::next_event() {
    const std::optional<double> event = flows_.next_event();
    return event ? std::optional(end_of_flow(*event)) : std::nullopt;
}

std::vector<TransferId>& LinkTraffic::advance() {
    ended_flows_.clear();
    flows_.advance(ended_flows_);
    ended_.clear();
    for (const FlowNetwork::Ended& ended : ended_flows_) {
        ended_.push_back(transfer_of_[ended.flow]);
    }
    under_way_ -= static_cast<int>(ended_.size());
    return ended_;
}

}  // namespace sim::kernel
