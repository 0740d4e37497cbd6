// collective_time() computes the time of a collective with no other traffic, without simulating it message by message.
//
// The result equals that of the message-by-message run to the picosecond. There are four ways to compute it; the first
// exact one is used:
//   closed form         a schedule in lock step on equal links: the last arrival + its steps; a ring, even on unequal
//                       private links (ring_time.hpp), or on shared links if private ones delay it
//                       (routed_rings.cpp). O(members).
//   recurrence          step by step, each member's clock from its own and its sender's. Exact if no two messages
//                       exceed a link's bandwidth: by the network (uniform, nodes, LogGP), by the routes that the
//                       schedule uses at all, or by the resulting times. O(members x steps).
//   synchronous steps   links are shared, all begin a step together and all its messages end together: one max-min
//                       solve per step, shared by steps with the same peers.
//   flows               anything else on shared links: the messages as flows (flows.hpp). O(messages) of these.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/collectives/schedule.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sim::collectives {

enum class Way : std::uint8_t { closed_form, recurrence, synchronous_steps, flows };
const char* name_of(Way way);

struct CollectiveTime {
    std::vector<Time> ends;  // by member
    Way way = Way::closed_form;
    std::string why;            // the reason why it is exact: a sentence
    std::int64_t messages = 0;  // sent by all members
    std::int64_t sent = 0;      // the total sent in these, in the measure of the size

    Time end() const;  // end of the last member
};

// The arguments of collective_time(). Requires: as many ranks as the schedule has members, all on the cluster; as many
// arrivals, or none: all arrive at 0.
struct CollectiveQuestion {
    const Cluster& cluster;
    const Schedule& schedule;
    Size size;
    std::span<const int> ranks;  // of the members
    std::span<const Time> arrivals = {};
    // Only the last end is needed: other ends may be upper bounds.
    bool only_last = false;
};

// Throws ProgramError if the cluster has no price for what `size` counts.
CollectiveTime collective_time(const CollectiveQuestion& question);

// Computes the time in this way; empty if that would not be exact.
std::optional<CollectiveTime> collective_time_by(Way way, const CollectiveQuestion& question);

}  // namespace sim::collectives
