// Rings on shared links, in closed form: when their members are done, from two bounds that meet.
//
// No message takes less than it takes alone. None takes more than at the share that max-min fairness never denies it:
// the smallest, over those links of its route that can be asked for more than they have, of bandwidth / messages that
// ever use the link, one for each member and channel that sends over it. A ring's members end no earlier if its
// messages take longer, so its times with the least costs and with the most (ring_time.hpp) enclose the true ones.
// Where both are the same, that is the time: always where no link is asked for too much, and also where some are, as
// long as others hold the ring up.
// Cost: that of ring_time.hpp, twice for each channel, and O(members) routes.
// Source of the share: Bertsekas & Gallager, Data Networks (1992), section 6.5.2: each flow has a bottleneck link,
// where no other has more than it.
#pragma once

#include "libsim/collectives/time/collective_ways.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// Nothing where the bounds differ, some channel goes around no ring, walking the steps is no more work, or time might
// leave its range. Where only the last end is asked for, only that needs to be enclosed.
std::optional<Found> around_routed_rings(const CollectiveQuestion& question, const Topology& topology);

// What is found of a schedule of rings with these ends, by channel and member. Also of rings on links of their own.
Found found_around_rings(const CollectiveQuestion& question, const std::vector<Time>& ends);

}  // namespace sim::collectives
