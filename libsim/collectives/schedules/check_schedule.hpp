// Whether a schedule does what its kind of collective promises: found out by carrying it out on names instead of
// numbers.
//
// Every member begins with chunks that know whose they are; what is received is what was sent, and what is reduced is
// all that both knew. In the end every member must know what it should, each contribution once; the members of an
// all-reduce must have added up in the same order, so that their results are equal bit by bit.
// Cost: members x chunks x members for what reduces, less for what copies: for tests, and for schedules of users.
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/error.hpp"

namespace sim::collectives {

// Where a schedule goes wrong; -1 where only the end shows it.
struct ScheduleError : ProgramError {
    ScheduleError(const std::string& what, int in_channel, int in_step, int of_member)
        : ProgramError(what), channel(in_channel), step(in_step), member(of_member) {}
    int channel;
    int step;
    int member;
};

// Throws ScheduleError, which says which member, chunk, channel and step are wrong; or what the schedule says about
// itself (how long its messages are, its synchrony) and is not so.
void check_schedule(const Schedule& schedule);

// The strictest promise that holds for all channels; of a schedule whose messages may be received later than in the
// step they are sent in, that. Requires: a schedule that passes the check.
Synchrony synchrony_of(const Schedule& schedule);

}  // namespace sim::collectives
