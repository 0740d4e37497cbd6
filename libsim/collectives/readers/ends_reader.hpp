// The ends reader computes the time of a collective from its schedule, channel by channel, on a network that times both
// ends of each message (TimesEnds in network/model.hpp: LogGP).
//
// It is exact, even with stragglers: equal to the message-by-message run to the picosecond.
// Messages of collectives are always eager, so a member only waits for messages that it receives.
// Cost: members times steps.
#pragma once

#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// `each` is the size of a chunk. `members` holds the clocks on arrival and, afterwards, at the end. `end`, if set,
// gives the time at which the card is free and the message has arrived.
// Requires: cluster.network->times_ends().
void read_channel_at_ends(const Schedule& schedule, int channel, const Cluster& cluster, Size each,
                          std::vector<MemberClock>& members, const MessageEnd& end = nullptr);

}  // namespace sim::collectives
