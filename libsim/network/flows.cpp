#include "libsim/network/flows.hpp"

#include "libsim/check.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace sim::network {

Time end_of_flow(double picoseconds) {
    const double rounded = std::ceil(picoseconds - 1e-3);
    if (rounded >= 0x1p63) {
        throw_time_overflow();
    }
    return Time{Duration{static_cast<std::int64_t>(rounded)}};
}

namespace {

constexpr double picoseconds_per_second = 1e12;

std::vector<double> bandwidths(const std::vector<FlowNetwork::Channel>& links) {
    std::vector<double> result(links.size());
    std::transform(links.begin(), links.end(), result.begin(), [](const auto& link) { return link.bytes_per_second; });
    return result;
}

std::vector<FlowNetwork::Channel> channels(const Topology& topology) {
    std::vector<FlowNetwork::Channel> result;
    result.reserve(topology.links.size());
    for (const Link& link : topology.links) {
        result.push_back({.bytes_per_second = static_cast<double>(link.bandwidth.bytes_per_second),
                          .latency = static_cast<double>(link.latency.count())});
    }
    return result;
}

}  // namespace

FlowNetwork::FlowNetwork(const std::vector<Channel>& links)
    : shares_(bandwidths(links)), first_end_(links.size(), std::numeric_limits<double>::infinity()) {
    latencies_.reserve(links.size());
    for (const Channel& link : links) {
        check(link.latency >= 0 && std::isfinite(link.latency), "link {} must have a latency of 0 or more, not {} ps",
              latencies_.size(), link.latency);
        latencies_.push_back(link.latency);
    }
}

FlowNetwork::FlowNetwork(const Topology& topology) : FlowNetwork(channels(topology)) {}

FlowNetwork::FlowId FlowNetwork::start(double at, std::span<const LinkId> route, double bytes) {
    check(at >= now_ && std::isfinite(at), "a flow starts at {} ps or later, not at {}", now_, at);
    check(bytes >= 0 && std::isfinite(bytes), "a flow must have 0 bytes or more, not {}", bytes);
    const FlowId flow = shares_.add(route);
    double latency = 0;
    for (const LinkId link : route) {
        latency += latencies_[link];
    }
    if (flow >= flows_.size()) {
        flows_.resize(std::size_t{flow} + 1);
    }
    // Without links nothing holds it back.
    const double work = route.empty() ? 0 : bytes * picoseconds_per_second;
    flows_[flow] = {.now = {.work = work}};
    const double begins = at + latency;
    // Without latency it joins the flows that change in this instant, instead of being an event of its own after them.
    if (begins == now_ && work > 0) {
        begin(flow);
    } else {
        begins_.put(flow, begins);
    }
    return flow;
}

void FlowNetwork::begin(FlowId flow) {
    flows_[flow].now.since = now_;
    shares_.enter(flow);
}

// The link's flows leave it and re-enter in the same instant.
void FlowNetwork::set_bandwidth(double at, LinkId link, double bytes_per_second) {
    const std::optional<double> next = next_event();  // solves earlier changes
    check(at >= now_ && (!next || at <= *next), "a bandwidth changes at {}, between {} and the next event", at, now_);
    now_ = at;
    std::vector<FlowId> flows;
    for (const FairShares::Crossing& crossing : shares_.crossings(link)) {
        flows.push_back(crossing.flow);
    }
    // By number, because the order of a link's crossings depends on which flows have left it.
    std::sort(flows.begin(), flows.end());
    for (const FlowId flow : flows) {
        // solve() erases the ends of links that it opens or that were loosened; a link that empties here is neither.
        ends_.erase(shares_.bottleneck(flow));
        shares_.leave(flow);
    }
    shares_.set_bandwidth(link, bytes_per_second);
    for (const FlowId flow : flows) {
        shares_.enter(flow);
    }
}

std::optional<double> FlowNetwork::next_event() {
    if (!shares_.solved()) {
        solve();
    }
    if (begins_.empty() && ends_.empty()) {
        return std::nullopt;
    }
    if (begins_.empty() || ends_.empty()) {
        return begins_.empty() ? ends_.top().at : begins_.top().at;
    }
    return std::min(begins_.top().at, ends_.top().at);
}

void FlowNetwork::advance(std::vector<Ended>& ended) {
    const std::optional<double> next = next_event();
    check(next.has_value(), "a flow is under way");
    now_ = *next;
    for (const FlowId flow : ended_before_) {
        shares_.forget(flow);
    }
    ended_before_.clear();
    const std::size_t first = ended.size();
    // All that ends or begins in this instant changes before the next solve, so the order among them has no effect.
    while (!ends_.empty() && ends_.top().at == now_) {
        const LinkId link = ends_.top().item;
        ends_.erase(link);
        collect_ended_of(link, ended);
    }
    for (std::size_t i = first; i < ended.size(); ++i) {
        shares_.leave(ended[i].flow);
    }
    while (!begins_.empty() && begins_.top().at == now_) {
        const FlowId flow = begins_.top().item;
        begins_.erase(flow);
        if (flows_[flow].now.work > 0) {
            begin(flow);
        } else {
            ended.push_back({flow, now_});
        }
    }
    const auto begin = ended.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, ended.end(), [](const Ended& a, const Ended& b) { return a.flow < b.flow; });
    for (std::size_t i = first; i < ended.size(); ++i) {
        ended_before_.push_back(ended[i].flow);
    }
}

void FlowNetwork::collect_ended_of(LinkId link, std::vector<Ended>& ended) {
    for (const FairShares::Crossing& crossing : shares_.crossings(link)) {
        // The queue holds one entry for a bottleneck, with the first end of its flows: a change of its rate moves one
        // entry, and not one for each flow. The comparison is exact, because that entry is a copy of the end.
        if (flows_[crossing.flow].end == now_ && shares_.bottleneck(crossing.flow) == link) {
            ended.push_back({crossing.flow, now_});
        }
    }
}

double FlowNetwork::rate(FlowId flow) {
    if (!shares_.solved()) {
        solve();
    }
    return shares_.rate(flow);
}

// A flow's work is updated only when its rate changes: otherwise the last bit of its end would depend on how often it
// was queried. For the same reason, a rate change that is undone in the same instant, by a flow that starts after a
// query, is dropped entirely.
inline void FlowNetwork::Draining::change_rate(double rate, double instant) {
    if (now.since < instant) {
        before = now;
        const double drained = now.rate * (instant - now.since);
        now = {.rate = rate, .since = instant, .work = std::max(0.0, now.work - drained)};
    } else if (rate == before.rate) {
        now = before;
    } else {
        now.rate = rate;
    }
    end = now.since + now.work / now.rate;
}

void FlowNetwork::solve() {
    for (const LinkId link : shares_.loosened()) {
        ends_.erase(link);
    }
    shares_.solve();
    const std::span<Draining> flows(flows_);
    const std::span<double> first_end(first_end_);
    for (const FlowId member : shares_.members()) {
        Draining& flow = flows[member];
        const double rate = shares_.rate(member);
        if (rate != flow.now.rate) {
            flow.change_rate(rate, now_);
        }
        double& first = first_end[shares_.bottleneck(member)];
        first = std::min(first, flow.end);
    }
    for (std::size_t i = 0; i < shares_.open_links(); ++i) {
        const LinkId link = shares_.open_link(i);
        if (first_end_[link] < std::numeric_limits<double>::infinity()) {
            ends_.put(link, first_end_[link]);
            first_end_[link] = std::numeric_limits<double>::infinity();
        } else {
            ends_.erase(link);
        }
    }
}

std::vector<double> finish_times(const std::vector<FlowNetwork::Channel>& links, std::span<const PlannedFlow> flows) {
    FlowNetwork network(links);
    // No flow ends while they are started, so their numbers are distinct.
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
