// collective_time() computes the time of a collective with no other traffic, without simulating it message by message.
//
// It is equal, to the picosecond, to that of the message-by-message run. There are four ways to find it, and the first
// that is exact is taken:
//   closed form         a schedule in lock step on equal links: the last arrival + its steps; a ring, also on unequal
//                       links of its own (ring_time.hpp), or where others than shared ones hold it up
//                       (routed_rings.cpp). O(members).
//   recurrence          step by step, each member's clock from its own and its sender's. Exact where no two messages
//                       ask a link for more than it has: by the network (uniform, nodes, LogGP), by the routes that the
//                       schedule uses at all, or by the times that come out. O(members x steps).
//   synchronous steps   links are shared, all begin a step together and all its messages end together: one max-min
//                       solve for each step, of steps with the same peers once.
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
    std::string why;            // it is exact: a sentence
    std::int64_t messages = 0;  // of all members
    std::int64_t sent = 0;      // in these, of what the size counts

    Time end() const;  // of the last member
};

// The arguments of collective_time(). Requires: as many ranks as the schedule has members, all on the cluster; as many
// arrivals, or none: all at 0.
struct CollectiveQuestion {
    const Cluster& cluster;
    const Schedule& schedule;
    Size size;
    std::span<const int> ranks;  // of the members
    std::span<const Time> arrivals = {};
    // Only the last end is needed: the other ends are upper bounds.
    bool only_last = false;
};

// Throws ProgramError if the cluster has no price for what `size` counts.
CollectiveTime collective_time(const CollectiveQuestion& question);

// Computes the time in this way; empty if that would not be exact.
std::optional<CollectiveTime> collective_time_by(Way way, const CollectiveQuestion& question);

}  // namespace sim::collectives
