// Reads the time of a collective off its schedule, as one evaluation instead of as many messages.
//
// Exact, with stragglers: equal to the message-by-message run to the picosecond. A rank sends and receives like this:
//   sent(i, s)  = max(time(i, s), sends_free(i)) + send          time(i, s): before step s
//   time(i,s+1) = max(sent(i, s), sent(from(i, s), s)) + acknowledgement
// Whoever has nothing to send or to receive in a step stays where it is.
// In lock step (schedule.hpp) every member's lateness reaches everybody: after s steps all are at
// max over members of time(·, 0) + s (send + acknowledgement).
// Cost: n for the closed form, else n times the steps.
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/units.hpp"

#include <vector>

namespace sim {

struct StepCost {
    Duration send{0};  // of one chunk
    Duration acknowledgement{0};
};

// One member's clock, on arrival and, afterwards, at the end.
struct MemberClock {
    Time time;
    Time sends_free;
    std::int64_t messages = 0;  // sent by it in the collective
    Duration busy{0};           // sending and acknowledging; the rest is waiting
};

enum class Reading { closed_form_where_exact, always_step_by_step };

void read_time(const Schedule& schedule, const StepCost& cost, std::vector<MemberClock>& members,
               Reading reading = Reading::closed_form_where_exact);

}  // namespace sim
