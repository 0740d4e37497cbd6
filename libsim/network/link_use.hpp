// This check detects whether messages that drain as fast as their routes allow ever exceed the bandwidth of a link.
//
// If they never do, they do not disturb each other: each one gets the smallest bandwidth of its route, the most that
// any fair share gives. So times computed as if each message were alone are exact if all messages pass this check. Cost
// per message and link: logarithmic in the messages that were on the link, plus the messages that end after this one
// begins.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topology.hpp"

#include <span>
#include <vector>

namespace sim::network {

class LinkUse {
public:
    explicit LinkUse(const Topology& topology) : topology_(&topology), on_link_(topology.links.size()) {}

    // Adds a message that drains over `route` at `rate` from `begin` to `end`. False: at some instant in between, a
    // link of the route would exceed its bandwidth.
    bool add(std::span<const LinkId> route, Bandwidth rate, Time begin, Time end);

    // Promises that no message added from now on begins before `time`.
    void nothing_before(Time time) { past_ = time; }

private:
    struct Draining {
        Time begin;
        Time end;
        std::int64_t bytes_per_second;
    };

    static bool fits(std::span<const Draining> there, const Draining& one, std::int64_t bandwidth);
    void forget_past(std::vector<Draining>& there) const;

    const Topology* topology_;
    Time past_;
    std::vector<std::vector<Draining>> on_link_;  // sorted by end
};

}  // namespace sim::network
