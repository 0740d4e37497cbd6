// This closed form gives the times at which the members of rings on shared links finish, from two bounds that meet.
//
// No message takes less than it takes alone. None takes more than at the share that max-min fairness never denies it:
// the smallest, over those links of its route whose demand can exceed their bandwidth, of bandwidth / messages that
// ever use the link, one for each member and channel that sends over it. A ring's members end no earlier if its
// messages take longer, so its times with the least costs and with the most (ring_time.hpp) enclose the true ones.
// If both are the same, that is the time: always if no link is overloaded, and also if some are, as long as others
// delay the ring more.
// Cost: that of ring_time.hpp, twice for each channel, and O(members) routes.
// Source of the share: Bertsekas & Gallager, Data Networks (1992), section 6.5.2: each flow has a bottleneck link,
// where no other has more than it.
#pragma once

#include "libsim/collectives/time/collective_ways.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// Empty if the bounds differ, some channel goes around no ring, walking the steps is no more work, or time might leave
// its range. If only the last end is needed, only that must be enclosed.
std::optional<Found> around_routed_rings(const CollectiveQuestion& question, const Topology& topology);

// Builds the result for a schedule of rings with these ends, by channel and member, also for rings on private links.
Found found_around_rings(const CollectiveQuestion& question, const std::vector<Time>& ends);

}  // namespace sim::collectives
