// FlowNetwork simulates flows over shared links: the rate at which each drains, and the time at which it ends.
//
// A flow that starts at t begins to drain at t + the latencies of its links. From then on the draining flows share the
// links max-min fairly: every link carries at most its bandwidth, and no flow can gain without taking from one that has
// no more. There is nothing else in the model: latency counts once, at the beginning; there are no weights, windows, or
// reverse traffic.
// All flows that begin or end at one instant form a batch. Only what a batch affects is solved again; the result is
// equal, bit for bit, to solving everything again (tests/support/max_min.hpp), and does not depend on the order in
// which flows of one instant were started, nor on the number of queries in between. Time is in picoseconds, as a
// double: whole numbers are exact up to 2.5 hours. Instants coincide only if they are equal; near ones are never
// merged. Cost of an event: O(flows * route) for the flows connected to it by full links, not for all in progress, plus
// O(log links) to find the next. Allocates nothing unless more flows are in progress than ever before.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/due_queue.hpp"
#include "libsim/network/fair_shares.hpp"
#include "libsim/network/topology.hpp"

#include <optional>
#include <span>
#include <vector>

namespace sim::network {

// The whole picosecond by which a flow that ends at `picoseconds` has ended: rounded up, unless the excess is less than
// a thousandth of a picosecond, which is rounding error. Throws std::overflow_error beyond the range of simulated time.
Time end_of_flow(double picoseconds);

class FlowNetwork {
public:
    // A small number. That of an ended flow is reused from the next advance() on, not earlier.
    using FlowId = FairShares::FlowId;

    struct Ended {
        FlowId flow;
        double at;
    };

    // A link as flows see it. Rates are per second, not per picosecond: 50 GB/s is a whole number, 0.05 B/ps is not.
    struct Channel {
        double bytes_per_second;
        double latency;  // picoseconds
    };
    // Requires: bandwidths above 0, latencies of 0 or more, finite.
    explicit FlowNetwork(const std::vector<Channel>& links);
    explicit FlowNetwork(const Topology& topology);

    // Requires: at >= now(), bytes >= 0; no repeated link. With an empty route or no bytes, the flow ends after its
    // latency.
    FlowId start(double at, std::span<const LinkId> route, double bytes);

    // Sets the link's bandwidth from `at` on, which becomes now(). Requires: now() <= at, no event before `at`; a
    // bandwidth above 0.
    void set_bandwidth(double at, LinkId link, double bytes_per_second);

    double now() const { return now_; }
    // The next time at which a flow begins to drain or ends; empty if none is in progress. This call does the solving,
    // so it is cheapest once all flows that start at now() have started.
    std::optional<double> next_event();
    // Advances to the next event, which becomes now(), and appends the flows that end then, by number. Requires:
    // next_event().
    void advance(std::vector<Ended>& ended);
    // The rate of a draining flow, in bytes per second; 0 before it drains.
    double rate(FlowId flow);

private:
    // A stretch of constant rate. Work is bytes * 10^12: a rate in bytes per second drains that many units per
    // picosecond.
    struct Stretch {
        double rate = 0;
        double since = 0;
        double work = 0;  // remaining at `since`
    };
    struct Draining {
        Stretch now;     // the current stretch
        Stretch before;  // the one that ended in the same instant, if it also began then
        double end = 0;

        void change_rate(double rate, double instant);
    };

    void begin(FlowId flow);
    void collect_ended_of(LinkId link, std::vector<Ended>& ended);
    void solve();

    std::vector<double> latencies_;
    FairShares shares_;
    std::vector<Draining> flows_;
    DueQueue begins_;                   // flows
    DueQueue ends_;                     // bottlenecks, by the first end of their flows
    std::vector<FlowId> ended_before_;  // ended in the last advance()
    std::vector<double> first_end_;     // of links, during a solve
    double now_ = 0;
};

struct PlannedFlow {
    double at = 0;  // picoseconds
    std::vector<LinkId> route;
    double bytes = 0;
};

// For flows that are all known in advance: their ends in picoseconds, one per flow. Each flow must meet the
// requirements of FlowNetwork::start(). Cost: that of FlowNetwork.
std::vector<double> finish_times(const std::vector<FlowNetwork::Channel>& links, std::span<const PlannedFlow> flows);

}  // namespace sim::network
