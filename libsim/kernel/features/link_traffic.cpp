#include "libsim/kernel/features/link_traffic.hpp"

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

double picoseconds(Time at) {
    return static_cast<double>(at.time_since_epoch().count());
}

}  // namespace

LinkTraffic::LinkTraffic(std::shared_ptr<const Topology> topology, int ranks, Changes changes)
    : topology_(std::move(topology)), flows_(with_room_for(ranks, *topology_)), changes_(std::move(changes)) {
    if (!changes_.empty()) {
        next_change_ = Time{};
        change_bandwidths();
    }
}

bool LinkTraffic::changes_first(std::optional<double> event) const {
    return next_change_ != Time::max() && (!event || picoseconds(next_change_) < *event);
}

// Applies the bandwidth changes of next_change_ and finds the next one.
void LinkTraffic::change_bandwidths() {
    const Time at = next_change_;
    next_change_ = Time::max();
    for (const faults::Conditions::BandwidthChange& one : changes_) {
        // From the topology's bandwidth, not from the current one: undoing a factor by division would leave its
        // rounding behind.
        double bandwidth = static_cast<double>(topology_->links[one.link].bandwidth.bytes_per_second);
        for (const faults::Conditions::BandwidthChange& other : changes_) {
            if (other.link == one.link && around(other.slowing.window, at).covers(at)) {
                const Pace& pace = other.slowing.pace;
                bandwidth = bandwidth * static_cast<double>(pace.amount) / static_cast<double>(pace.picoseconds);
            }
        }
        flows_.set_bandwidth(std::max(picoseconds(at), flows_.now()), one.link, bandwidth);
        const faults::Around part = around(one.slowing.window, at);
        const Time edge = part.covers(at) ? part.until : part.from;
        next_change_ = edge > at ? std::min(next_change_, edge) : next_change_;
    }
}

void LinkTraffic::start(TransferId transfer, int source, int target, std::int64_t bytes, Time at, Time now) {
    // Changes are no events while nothing is under way (next_event), so those that have passed are made up for here.
    while (under_way_ == 0 && next_change_ <= now) {
        change_bandwidths();
    }
    route_.clear();
    topology_->append_route(source, target, route_);
    // A flow's end may be rounded down by less than a thousandth of a picosecond.
    const double from = std::max(picoseconds(at), flows_.now());
    const FlowNetwork::FlowId flow = flows_.start(from, route_, static_cast<double>(bytes));
    if (flow >= transfer_of_.size()) {
        transfer_of_.resize(flow + std::size_t{1});
    }
    transfer_of_[flow] = transfer;
    ++under_way_;
}

std::optional<Time> LinkTraffic::next_event() {
    const std::optional<double> event = flows_.next_event();
    if (under_way_ > 0 && changes_first(event)) {
        return next_change_;
    }
    return event ? std::optional(end_of_flow(*event)) : std::nullopt;
}

std::vector<TransferId>& LinkTraffic::advance() {
    ended_flows_.clear();
    ended_.clear();
    if (changes_first(flows_.next_event())) {
        change_bandwidths();
        return ended_;
    }
    flows_.advance(ended_flows_);
    for (const FlowNetwork::Ended& ended : ended_flows_) {
        ended_.push_back(transfer_of_[ended.flow]);
    }
    under_way_ -= static_cast<int>(ended_.size());
    return ended_;
}

}  // namespace sim::kernel
