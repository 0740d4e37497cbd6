#include "libsim/network/fair_shares.hpp"

#include "libsim/check.hpp"

#include <limits>
#include <utility>

namespace sim::network {

FairShares::FairShares(std::span<const double> bytes_per_second)
    : links_(bytes_per_second.size()), place_of_(bytes_per_second.size(), closed) {
    for (std::size_t link = 0; link < links_.size(); ++link) {
        set_bandwidth(static_cast<LinkId>(link), bytes_per_second[link]);
    }
}

void FairShares::set_bandwidth(LinkId id, double bandwidth) {
    check(bandwidth > 0 && bandwidth < std::numeric_limits<double>::infinity(),
          "link {} must have a bandwidth above 0, not {}", id, bandwidth);
    SharedLink& link = links_[id];
    check(link.crossings.empty(), "link {} changes its bandwidth without flows", id);
    link.bytes_per_second = bandwidth;
    link.units_per_rate = static_cast<double>(units) / bandwidth;
    link.load = 0;
}

FairShares::FlowId FairShares::add(std::span<const LinkId> route) {
    FlowId flow = static_cast<FlowId>(flows_.size());
    if (free_.empty()) {
        flows_.emplace_back();
        standing_.push_back(Standing::outside);
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

void FairShares::enter(FlowId id) {
    FlowShare& flow = flows_[id];
    const std::span<RouteHop> hops = hops_of(flow);
    flow.shared = 0;
    for (RouteHop& hop : hops) {
        // This flow is not counted yet: a link with a single other flow becomes shared by it.
        if (!links_[hop.link].crossings.empty()) {
            std::swap(hop, hops[flow.shared++]);
        }
    }
    for (std::uint32_t i = 0; i < flow.hops; ++i) {
        std::vector<Crossing>& crossings = links_[hops[i].link].crossings;
        check(crossings.empty() || crossings.back().flow != id, "flow {} crosses link {} once", id, hops[i].link);
        if (crossings.size() == 1) {
            turn_shared(hops[i].link);
        }
        hops[i].place = static_cast<std::uint32_t>(crossings.size());
        crossings.push_back({id, i});
    }
    find_ceiling(flow);
    entered_.push_back(id);
}

void FairShares::leave(FlowId id) {
    FlowShare& flow = flows_[id];
    for (const RouteHop& hop : hops_of(flow)) {
        SharedLink& link = links_[hop.link];
        const Crossing last = link.crossings.back();
        link.crossings.pop_back();
        if (link.crossings.empty()) {
            continue;
        }
        // The last crossing takes its place, so leaving costs O(route), however many flows cross the link.
        if (last.flow != id) {
            link.crossings[hop.place] = last;
            hops_.at(flows_[last.flow].first_hop)[last.hop].place = hop.place;
        }
        // Asked before the load falls: a link that was not full limited nobody, so nobody gains from its room.
        if (link.is_full()) {
            loosened_.push_back(hop.link);
        }
        link.load -= link.units_of(flow.rate);
        if (link.crossings.size() == 1) {
            turn_private(hop.link);
        }
    }
    flow.rate = 0;
}

void FairShares::forget(FlowId flow) {
    if (flows_[flow].hops > 0) {
        hops_.give_back(flows_[flow].first_hop, flows_[flow].hops);
    }
    free_.push_back(flow);
}

void FairShares::swap_hops(FlowShare& flow, std::uint32_t i, std::uint32_t j) {
    RouteHop* const hops = hops_.at(flow.first_hop);
    std::swap(hops[i], hops[j]);
    links_[hops[i].link].crossings[hops[i].place].hop = i;
    links_[hops[j].link].crossings[hops[j].place].hop = j;
}

void FairShares::find_ceiling(FlowShare& flow) {
    flow.ceiling = std::numeric_limits<double>::infinity();
    for (const RouteHop& hop : hops_of(flow).subspan(flow.shared)) {
        const double bandwidth = links_[hop.link].bytes_per_second;
        if (bandwidth < flow.ceiling) {
            flow.ceiling = bandwidth;
            flow.ceiling_link = hop.link;
        }
    }
}

// Converts a link with one flow before a second one enters.
void FairShares::turn_shared(LinkId id) {
    SharedLink& link = links_[id];
    const Crossing only = link.crossings.front();
    FlowShare& flow = flows_[only.flow];
    swap_hops(flow, only.hop, flow.shared++);
    // The link was this flow's alone and may have been the narrowest of those.
    if (flow.ceiling_link == id) {
        find_ceiling(flow);
    }
    link.load = link.units_of(flow.rate);
}

// Converts a link with one flow left after the second one leaves.
void FairShares::turn_private(LinkId id) {
    const SharedLink& link = links_[id];
    const Crossing only = link.crossings.front();
    FlowShare& flow = flows_[only.flow];
    swap_hops(flow, only.hop, --flow.shared);
    if (link.bytes_per_second < flow.ceiling) {
        flow.ceiling = link.bytes_per_second;
        flow.ceiling_link = id;
    }
}

void FairShares::solve() {
    open_.clear();
    members_.clear();
    open_what_changed();
    gathered_ = settled_;
    stopped_.clear();
    open_from_ = full;
    some_outside_ = false;
    for (int filled = 0; gathered_ < open_.size(); ++filled) {
        if (filled >= 3) {
            open_more();
        }
        gather();
        fill();
        account();
    }
    for (const OpenLink& open : open_) {
        place_of_[open.link] = closed;
    }
    for (const FlowId flow : members_) {
        standing_[flow] = Standing::outside;
    }
    loosened_.clear();
    entered_.clear();
}

void FairShares::open(LinkId link) {
    if (place_of_[link] == closed) {
        place_of_[link] = static_cast<std::uint32_t>(open_.size());
        open_.push_back({.link = link});
    }
}

void FairShares::open_what_changed() {
    const auto only_flow_on = [&](LinkId link) { return links_[link].crossings.front().flow; };
    for (const FlowId flow : entered_) {
        settle_private(flow);
    }
    for (const LinkId link : loosened_) {
        if (links_[link].crossings.size() == 1) {
            settle_private(only_flow_on(link));
        }
    }
    // Flows without a shared link are a prefix of the members, and their links of the open links, so filling can skip
    // them.
    settled_ = members_.size();
    for (const FlowId flow : entered_) {
        open_likely(flow);
    }
    for (const LinkId link : loosened_) {
        if (links_[link].crossings.size() == 1) {
            open_likely(only_flow_on(link));
        } else if (!links_[link].crossings.empty()) {
            open(link);
        }
    }
}

// A flow that shares no link runs at its ceiling.
void FairShares::settle_private(FlowId id) {
    FlowShare& flow = flows_[id];
    if (flow.shared == 0 && standing_[id] == Standing::outside) {
        standing_[id] = Standing::stopped;
        members_.push_back(id);
        open(flow.ceiling_link);
        flow.rate = flow.ceiling;
        flow.bottleneck = flow.ceiling_link;
    }
}

// Opens the links that are full, or would be if the flow got the least of its links' equal shares. This is a guess:
// account() finds any link that it misses. Opens at least one, so that something limits the flow.
void FairShares::open_likely(FlowId id) {
    // A link whose share is the least but for rounding may limit the flow, too. One link too many costs time, and
    // changes no rate.
    constexpr double almost = 1 + 1e-5;
    const FlowShare& flow = flows_[id];
    if (flow.shared == 0) {
        return;
    }
    double share = flow.ceiling;
    for (const RouteHop& hop : shared_hops_of(flow)) {
        const SharedLink& link = links_[hop.link];
        share = std::min(share, link.bytes_per_second / static_cast<double>(link.crossings.size()));
    }
    for (const RouteHop& hop : shared_hops_of(flow)) {
        const SharedLink& link = links_[hop.link];
        const double equal_share = link.bytes_per_second / static_cast<double>(link.crossings.size());
        if (equal_share <= share * almost || link.load + link.units_of(share) >= full) {
            open(hop.link);
        }
    }
    if (flow.reaches_ceiling(share)) {
        open(flow.ceiling_link);
    }
}

void FairShares::open_loaded_of(const FlowShare& flow) {
    for (const RouteHop& hop : shared_hops_of(flow)) {
        if (place_of_[hop.link] != closed) {
            continue;
        }
        if (links_[hop.link].load >= open_from_) {
            open(hop.link);
        } else {
            some_outside_ = true;
        }
    }
}

// Makes all flows on open links members, and opens all full links of members.
void FairShares::gather() {
    for (; gathered_ < open_.size(); ++gathered_) {
        for (const Crossing& crossing : links_[open_[gathered_].link].crossings) {
            if (standing_[crossing.flow] != Standing::outside) {
                continue;
            }
            standing_[crossing.flow] = Standing::growing;
            members_.push_back(crossing.flow);
            const FlowShare& flow = flows_[crossing.flow];
            open_loaded_of(flow);
            if (flow.reaches_ceiling(flow.rate)) {
                open(flow.ceiling_link);
            }
        }
    }
}

// Applies the new rates, and updates the loads of links outside. Opens those that became full.
void FairShares::account() {
    suspects_.clear();
    for (const FlowId member : std::span(members_).subspan(settled_)) {
        FlowShare& flow = flows_[member];
        // Compared exactly: an unaffected flow gets the same bits again, and the loads of its links stay.
        if (flow.next == flow.rate) {
            continue;
        }
        if (some_outside_) {
            account_outside(flow);
        }
        flow.rate = flow.next;
        if (flow.reaches_ceiling(flow.rate)) {
            open(flow.ceiling_link);
        }
    }
    // Checked only now, because other flows that slowed down may have made room.
    for (const LinkId link : suspects_) {
        if (links_[link].is_full()) {
            open(link);
        }
    }
}

void FairShares::account_outside(const FlowShare& flow) {
    for (const RouteHop& hop : shared_hops_of(flow)) {
        if (place_of_[hop.link] == closed) {
            SharedLink& link = links_[hop.link];
            link.load += link.units_of(flow.next) - link.units_of(flow.rate);
            if (link.is_full()) {
                suspects_.push_back(hop.link);
            }
        }
    }
}

// If a change spreads from link to link, each link would cost another filling of everything before it. So from the
// fourth filling on, half a load is enough to open a link, and then any load.
void FairShares::open_more() {
    open_from_ = open_from_ == full ? units / 2 : 0;
    for (std::size_t i = settled_; i < members_.size(); ++i) {
        open_loaded_of(flows_[members_[i]]);
    }
}

}  // namespace sim::network
