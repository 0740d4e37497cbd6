#include "libsim/network/fair_shares.hpp"

#include "libsim/check.hpp"

#include <limits>

namespace sim {

FairShares::FairShares(std::span<const double> bytes_per_second) : links_(bytes_per_second.size()) {
    for (std::size_t link = 0; link < links_.size(); ++link) {
        const double bandwidth = bytes_per_second[link];
        check(bandwidth > 0 && bandwidth < std::numeric_limits<double>::infinity(),
              "link {} has a bandwidth above 0, not {}", link, bandwidth);
        links_[link].bytes_per_second = bandwidth;
        links_[link].units_per_rate = static_cast<double>(units) / bandwidth;
    }
}

FairShares::FlowId FairShares::add(std::span<const LinkId> route) {
    FlowId flow = static_cast<FlowId>(flows_.size());
    if (free_.empty()) {
        flows_.emplace_back();
    } else {
        flow = free_.back();
        free_.pop_back();
    }
    FlowShare share;
    share.hops = static_cast<std::uint32_t>(route.size());
    if (!route.empty()) {
        share.first_hop = hops_.take(route.size());
    }
    RouteHop* const hops = hops_.at(share.first_hop);
    for (std::size_t i = 0; i < route.size(); ++i) {
        check(route[i] < links_.size(), "a flow's link {} is one of {}", route[i], links_.size());
        hops[i].link = route[i];
    }
    flows_[flow] = share;
    return flow;
}

void FairShares::enter(FlowId flow) {
    const std::span<RouteHop> hops = hops_of(flows_[flow]);
    for (std::size_t i = 0; i < hops.size(); ++i) {
        std::vector<Crossing>& crossings = links_[hops[i].link].crossings;
        check(crossings.empty() || crossings.back().flow != flow, "flow {} crosses link {} once", flow, hops[i].link);
        hops[i].place = static_cast<std::uint32_t>(crossings.size());
        crossings.push_back({flow, static_cast<std::uint32_t>(i)});
    }
    entered_.push_back(flow);
}

void FairShares::leave(FlowId flow) {
    const double rate = flows_[flow].rate;
    for (const RouteHop& hop : hops_of(flows_[flow])) {
        SharedLink& link = links_[hop.link];
        if (link.is_full()) {
            loosened_.push_back(hop.link);
        }
        link.load -= link.units_of(rate);
        const Crossing last = link.crossings.back();
        link.crossings.pop_back();
        if (last.flow != flow) {
            link.crossings[hop.place] = last;
            hops_.at(flows_[last.flow].first_hop)[last.hop].place = hop.place;
        }
    }
    flows_[flow].rate = 0;
}

void FairShares::forget(FlowId flow) {
    if (flows_[flow].hops > 0) {
        hops_.give_back(flows_[flow].first_hop, flows_[flow].hops);
    }
    free_.push_back(flow);
}

void FairShares::solve() {
    open_.clear();
    members_.clear();
    gathered_ = 0;
    for (const LinkId link : loosened_) {
        open(link);
    }
    for (const FlowId flow : entered_) {
        open_likely(flow);
    }
    do {
        gather();
        fill();
    } while (account());
    for (const OpenLink& open : open_) {
        links_[open.link].open = closed;
    }
    for (const FlowId flow : members_) {
        flows_[flow].is_member = false;
    }
    loosened_.clear();
    entered_.clear();
}

void FairShares::open(LinkId link) {
    if (links_[link].open == closed) {
        links_[link].open = static_cast<std::uint32_t>(open_.size());
        open_.push_back({0, 0, link, 0, 0});
    }
}

// The links that are full, or that would be with a flow at the least of its links' equal shares. A guess: a link that
// it forgets is found by account().
void FairShares::open_likely(FlowId flow) {
    constexpr double almost = 1 + 1e-5;
    double share = std::numeric_limits<double>::infinity();
    for (const RouteHop& hop : hops_of(flows_[flow])) {
        const SharedLink& link = links_[hop.link];
        share = std::min(share, link.bytes_per_second / static_cast<double>(link.crossings.size()));
    }
    for (const RouteHop& hop : hops_of(flows_[flow])) {
        const SharedLink& link = links_[hop.link];
        const double equal_share = link.bytes_per_second / static_cast<double>(link.crossings.size());
        if (equal_share <= share * almost || link.load + link.units_of(share) >= full) {
            open(hop.link);
        }
    }
}

// All flows on open links are members; all full links of members are open.
void FairShares::gather() {
    for (; gathered_ < open_.size(); ++gathered_) {
        for (const Crossing& crossing : links_[open_[gathered_].link].crossings) {
            FlowShare& flow = flows_[crossing.flow];
            if (flow.is_member) {
                continue;
            }
            flow.is_member = true;
            members_.push_back(crossing.flow);
            for (const RouteHop& hop : hops_of(flow)) {
                if (links_[hop.link].is_full()) {
                    open(hop.link);
                }
            }
        }
    }
}

// Takes over the new rates. True if a link outside turned full: it is open now, and all is to be filled again.
bool FairShares::account() {
    suspects_.clear();
    for (const FlowId member : members_) {
        FlowShare& flow = flows_[member];
        if (flow.next == flow.rate) {
            continue;
        }
        for (const RouteHop& hop : hops_of(flow)) {
            SharedLink& link = links_[hop.link];
            link.load += link.units_of(flow.next) - link.units_of(flow.rate);
            if (link.is_full() && link.open == closed) {
                suspects_.push_back(hop.link);
            }
        }
        flow.rate = flow.next;
    }
    const std::size_t before = open_.size();
    for (const LinkId link : suspects_) {
        if (links_[link].is_full()) {
            open(link);
        }
    }
    return open_.size() > before;
}

}  // namespace sim
