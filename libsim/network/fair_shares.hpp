// This solver keeps the max-min fair rates of flows that come and go; it solves only what a change affects and knows no
// time.
//
// A link that is not full limits no flow, so a change spreads through full links only. solve() opens the links
// that are likely to matter, with all flows on them and the other full links of these, and fills them as
// tests/support/max_min.hpp does. A link outside that has become full is opened too, and all is filled again. A link
// left out is not full, before or after, and takes no part in the filling; so the rates are those of max_min_rates()
// over everything, bit by bit. A link with one flow on it is private: of a flow's private links the narrowest is its
// ceiling, the others never matter, and none needs a load. Invariants: (1) The load of a shared link is the sum of
// units_of() of its rates, in integers: exact, whatever flows came and went. (2) A link that limits a flow is full.
// `full` begins a little early, by 2^-17, which only opens more. (3) The hops of a flow that entered: its shared links
// first. (4) Between two solve(), every flow that entered has the rate of the last one.
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

    // Keeps a route under the number of a flow that takes no share yet.
    FlowId add(std::span<const LinkId> route);
    // Takes its share from the next solve() on. Requires: a route that is not empty; no link twice.
    void enter(FlowId flow);
    // Requires: solve() since it entered.
    void leave(FlowId flow);
    // Requires: no flow crosses the link; above 0, finite.
    void set_bandwidth(LinkId link, double bytes_per_second);
    // Frees the flow's number for reuse. Requires: it has left, or never entered.
    void forget(FlowId flow);

    bool solved() const { return entered_.empty() && loosened_.empty(); }
    // Full links that a flow left since the last solve().
    std::span<const LinkId> loosened() const { return loosened_; }
    void solve();
    // The flows that the last solve() recomputed: all flows whose bottleneck is an open link, and no others.
    std::span<const FlowId> members() const { return members_; }
    // A bottleneck that is not open can have stopped limiting flows only if it was one of loosened() before solve().
    std::size_t open_links() const { return open_.size(); }
    LinkId open_link(std::size_t i) const { return open_[i].link; }

    // Bytes per second; 0 before it entered.
    double rate(FlowId flow) const { return flows_[flow].rate; }
    // The link that limits it.
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
        // A rate beyond twice the bandwidth, as on a link that is not open yet, counts as that: 2^21 of them fit.
        std::int64_t units_of(double rate) const {
            return static_cast<std::int64_t>(std::min(rate * units_per_rate, static_cast<double>(2 * units)));
        }
    };
    struct alignas(64) FlowShare {
        double rate = 0;
        double next = 0;     // its rate in the solution under way
        double ceiling = 0;  // bandwidth of ceiling_link; infinite without a private link
        LinkId ceiling_link = 0;
        LinkId bottleneck = 0;
        std::uint32_t first_hop = 0;
        std::uint32_t hops = 0;
        std::uint32_t shared = 0;  // of them
        // As is_full() of its ceiling.
        bool reaches_ceiling(double at_rate) const { return at_rate >= ceiling * nearly; }
    };
    enum class Standing : std::uint8_t { outside, growing, stopped };
    struct OpenLink {
        double remaining = 0;
        double level = 0;
        std::int64_t load = 0;
        LinkId link = 0;
        std::uint32_t growing = 0;  // flows
        std::uint32_t stopped = 0;  // of them, in this round
    };

    struct Rising {
        double level;  // or less, if it rose since
        std::uint32_t place;
        friend bool operator<(const Rising& a, const Rising& b) { return a.level > b.level; }  // the least on top
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
    std::vector<LinkId> loosened_;  // full links that a flow left since then

    std::vector<OpenLink> open_;
    std::vector<FlowId> members_;
    std::size_t settled_ = 0;        // members that have their rates, and as many open links: private ones
    std::int64_t open_from_ = full;  // load of a member's link that is opened
    bool some_outside_ = false;      // a member may have shared links that are not open
    std::size_t gathered_ = 0;       // open links whose flows are members
    // Kept apart from their links and flows, because they are read much more often.
    std::vector<std::uint32_t> place_of_;  // of links in open_, or closed
    std::vector<Standing> standing_;       // of flows

    std::vector<std::uint32_t> growing_;  // places in open_ of links with flows that grow
    std::vector<Rising> rising_;          // the same, as a heap
    std::vector<std::uint32_t> lowest_;   // of them, those at the level of this round
    std::vector<std::uint32_t> touched_;  // open links that lose bandwidth in this round
    std::vector<FlowId> stopped_;         // members, as they get their rates
    std::vector<LinkId> suspects_;        // that may have turned full
};

}  // namespace sim::network
