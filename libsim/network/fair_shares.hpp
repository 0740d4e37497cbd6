// This solver keeps the max-min fair rates of a changing set of flows; it solves only what a change affects, and has no
// notion of time.
//
// A link that is not full limits no flow, so a change spreads through full links only. solve() opens the links that are
// likely to matter, with all flows on them and the other full links of these flows, and fills them as
// tests/support/max_min.hpp does. If a link outside becomes full it is opened too, and everything is filled again. A
// link that is left out is not full, before or after, and does not affect the filling; so the rates are those of
// max_min_rates() over everything, bit for bit. A link with a single flow is private: the narrowest of a flow's private
// links is its ceiling, the others never matter, and none needs a load. Invariants: (1) The load of a shared link is
// the sum of units_of() of its rates, in integers, so it stays exact as flows come and go. (2) A link that limits a
// flow is full. `full` begins slightly early, by 2^-17, which only opens more. (3) The hops of an entered flow list its
// shared links first. (4) Between two calls of solve(), every entered flow has the rate of the last one.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/hop_pool.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sim::network {

class FairShares {
public:
    using FlowId = std::uint32_t;
    struct Crossing {
        FlowId flow;
        std::uint32_t hop;  // of the flow's route
    };

    explicit FairShares(std::span<const double> bytes_per_second);

    // Stores the route of a flow that takes no share yet, and returns its number.
    FlowId add(std::span<const LinkId> route);
    // The flow takes its share from the next solve() on. Requires: a non-empty route without repeated links.
    void enter(FlowId flow);
    // Requires: solve() was called since the flow entered.
    void leave(FlowId flow);
    // Requires: no flow crosses the link; the bandwidth is above 0 and finite.
    void set_bandwidth(LinkId link, double bytes_per_second);
    // Frees the flow's number for reuse. Requires: the flow has left, or never entered.
    void forget(FlowId flow);

    bool solved() const { return entered_.empty() && loosened_.empty(); }
    // Full links that a flow left since the last solve().
    std::span<const LinkId> loosened() const { return loosened_; }
    void solve();
    // The flows that the last solve() recomputed: exactly those with an open bottleneck.
    std::span<const FlowId> members() const { return members_; }
    // A bottleneck that is not open can only have stopped limiting flows if it was in loosened() before solve().
    std::size_t open_links() const { return open_.size(); }
    LinkId open_link(std::size_t i) const { return open_[i].link; }

    // In bytes per second; 0 before the flow enters.
    double rate(FlowId flow) const { return flows_[flow].rate; }
    // The link that limits the flow.
    LinkId bottleneck(FlowId flow) const { return flows_[flow].bottleneck; }
    std::span<const Crossing> crossings(LinkId link) const { return links_[link].crossings; }

private:
    static constexpr std::uint32_t closed = UINT32_MAX;
    static constexpr std::int64_t units = std::int64_t{1} << 40;  // of a link's bandwidth
    static constexpr std::int64_t full = units - (units >> 17);
    static constexpr double nearly = static_cast<double>(full) / static_cast<double>(units);

    struct alignas(64) SharedLink {
        double bytes_per_second = 0;
        double units_per_rate = 0;
        std::int64_t load = 0;
        std::vector<Crossing> crossings;
        bool is_full() const { return load >= full; }
        // A rate above twice the bandwidth, as on a link that is not open yet, counts as twice: 2^21 such rates fit.
        std::int64_t units_of(double rate) const {
            return static_cast<std::int64_t>(std::min(rate * units_per_rate, static_cast<double>(2 * units)));
        }
    };
    struct alignas(64) FlowShare {
        double rate = 0;
        double next = 0;     // its rate in the solution in progress
        double ceiling = 0;  // bandwidth of ceiling_link; infinite without a private link
        LinkId ceiling_link = 0;
        LinkId bottleneck = 0;
        std::uint32_t first_hop = 0;
        std::uint32_t hops = 0;
        std::uint32_t shared = 0;  // hops over shared links
        // Like is_full() for its ceiling.
        bool reaches_ceiling(double at_rate) const { return at_rate >= ceiling * nearly; }
    };
    enum class Standing : std::uint8_t { outside, growing, stopped };
    struct OpenLink {
        double remaining = 0;
        double level = 0;
        std::int64_t load = 0;
        LinkId link = 0;
        std::uint32_t growing = 0;  // flows
        std::uint32_t stopped = 0;  // of those, stopped in this round
    };

    struct Rising {
        double level;  // a lower bound: it may have risen since
        std::uint32_t place;
        friend bool operator<(const Rising& a, const Rising& b) { return a.level > b.level; }  // puts the least on top
    };

    std::span<RouteHop> hops_of(const FlowShare& flow) { return {hops_.at(flow.first_hop), flow.hops}; }
    std::span<RouteHop> shared_hops_of(const FlowShare& flow) { return {hops_.at(flow.first_hop), flow.shared}; }
    void swap_hops(FlowShare& flow, std::uint32_t i, std::uint32_t j);
    void find_ceiling(FlowShare& flow);
    void turn_shared(LinkId link);
    void turn_private(LinkId link);

    void open(LinkId link);
    void settle_private(FlowId flow);
    void open_likely(FlowId flow);
    void open_what_changed();
    void open_loaded_of(const FlowShare& flow);
    void gather();
    void account();
    void account_outside(const FlowShare& flow);
    void open_more();

    void fill();
    double least_level(std::size_t round);
    double least_by_scan();
    double least_by_heap();
    void begin_filling();
    void stop_flows_at(double level);
    void end_round(double level, std::size_t first_stopped);
    void end_filling(double level);

    std::vector<SharedLink> links_;
    std::vector<FlowShare> flows_;
    HopPool hops_;
    std::vector<FlowId> free_;

    std::vector<FlowId> entered_;   // since the last solve()
    std::vector<LinkId> loosened_;  // full links that a flow left since the last solve()

    std::vector<OpenLink> open_;
    std::vector<FlowId> members_;
    std::size_t settled_ = 0;        // members whose rates are settled, and as many open links: private ones
    std::int64_t open_from_ = full;  // load from which a member's link is opened
    bool some_outside_ = false;      // a member may have shared links that are not open
    std::size_t gathered_ = 0;       // open links whose flows are members
    // Stored apart from the links and flows, because they are read far more often.
    std::vector<std::uint32_t> place_of_;  // index in open_ of each link, or closed
    std::vector<Standing> standing_;       // of each flow

    std::vector<std::uint32_t> growing_;  // indices in open_ of links with growing flows
    std::vector<Rising> rising_;          // the same, as a heap
    std::vector<std::uint32_t> lowest_;   // the ones at the level of this round
    std::vector<std::uint32_t> touched_;  // open links that lose bandwidth in this round
    std::vector<FlowId> stopped_;         // members, in the order in which they get their rates
    std::vector<LinkId> suspects_;        // links that may have become full
};

}  // namespace sim::network
