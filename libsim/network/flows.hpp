// Flows over shared links: who drains how fast, and when each has ended.
//
// A flow that starts at t begins to drain at t + the latencies of its links. From then on the draining flows share the
// links max-min fairly: every link carries at most its bandwidth, and no flow can gain without taking from one that has
// no more than it. Nothing else: latency once, at the beginning; no weights, windows, or reverse traffic.
// All that begins or ends at one instant is one batch. What a batch touches is solved again, and only that; the result
// is equal, bit by bit, to solving everything again, and does not depend on the order in which flows were started.
// Time is in picoseconds, as a double: a whole number of them is exact up to 2.5 hours.
// Cost: …
#pragma once

#include "libsim/network/topology.hpp"

#include <optional>
#include <span>
#include <vector>

namespace sim {

// When a flow that ends at `picoseconds` has ended: rounded up, but for what is within a thousandth of a whole
// picosecond above it, which is rounding of doubles.
Time end_of_flow(double picoseconds);

class FlowNetwork {
public:
    using FlowId = std::uint32_t;  // numbers are small, and are used again when a flow has ended

    struct Ended {
        FlowId flow;
        double at;
    };

    // What a link is to flows.
    struct Channel {
        double bytes_per_picosecond;
        double latency;  // picoseconds
    };
    explicit FlowNetwork(std::vector<Channel> links);
    explicit FlowNetwork(const Topology& topology);

    // Requires: at >= now(), bytes >= 0; no link twice. An empty route, or no bytes: ends when its latency is over.
    FlowId start(double at, std::span<const LinkId> route, double bytes);

    double now() const;
    // When a flow begins to drain or ends next; nothing if none is under way.
    std::optional<double> next_event();
    // Goes on to the next event, which becomes now(), and appends the flows that end in it, by number.
    // Requires: next_event().
    void advance(std::vector<Ended>& ended);
    // Of a draining flow, in bytes per picosecond; 0 before it drains.
    double rate(FlowId flow);
};

}  // namespace sim
