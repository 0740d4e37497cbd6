// Reads the time of a collective off its schedule on a LogGP network, channel by channel.
//
// Exact, with stragglers: equal to the message-by-message run to the picosecond, by the rules of network/loggp.hpp.
// Messages of collectives are always eager, so a member waits for nothing but what it receives.
// Cost: members times steps.
#pragma once

#include "libsim/kernel/time_reader.hpp"
#include "libsim/network/loggp.hpp"

namespace sim {

// A chunk has `each` bytes. `members` on arrival, and afterwards at the end.
void read_channel_by_loggp(const Schedule& schedule, int channel, const LogGP& network, std::int64_t each,
                           std::vector<MemberClock>& members);

}  // namespace sim
