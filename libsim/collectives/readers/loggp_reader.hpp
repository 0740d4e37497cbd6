// Reads the time of a collective off its schedule on a LogGP network, channel by channel.
//
// Exact, with stragglers: equal to the message-by-message run to the picosecond, by the rules of network/loggp.hpp.
// Messages of collectives are always eager, so a member waits for nothing but what it receives.
// Cost: members times steps.
#pragma once

#include "libsim/collectives/readers/time_reader.hpp"

namespace sim {

// Of chunks of size `each`. `members` on arrival, and afterwards at the end. Requires: a LogGP network.
void read_channel_by_loggp(const Schedule& schedule, int channel, const Cluster& cluster, Size each,
                           std::vector<MemberClock>& members);

}  // namespace sim
