// This check finds whether messages that drain as fast as their routes allow ever exceed the bandwidth of a link.
//
// While they do not, they do not disturb each other: each one has the smallest bandwidth of its route for itself, which
// no fair share exceeds. So times computed as if each message were alone are right if all messages pass this check.
// Cost: for each link of a message, the logarithm of those that were on it, and the messages that end after it begins.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topology.hpp"

#include <span>
#include <vector>

namespace sim::network {

class LinkUse {
public:
    explicit LinkUse(const Topology& topology) : topology_(&topology), on_link_(topology.links.size()) {}

    // A message drains over `route` at `rate` from `begin` to `end`. False: at some instant between them a link of the
    // route has more to carry than its bandwidth.
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
    std::vector<std::vector<Draining>> on_link_;  // by their ends
};

}  // namespace sim::network
