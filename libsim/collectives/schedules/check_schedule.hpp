// check_schedule() verifies that a schedule does what its kind of collective promises, by carrying it out on names
// instead of numbers.
//
// Every member begins with chunks that carry their owner's name; a copy takes over the names that were sent, and a
// reduction unites those of both. In the end every member must hold the right names, each contribution once; the
// members of an all-reduce must have added up in the same order, so that their results are equal bit by bit.
// Cost: members x chunks x members for what reduces, less for what copies: for tests, and for schedules of users.
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/error.hpp"

namespace sim::collectives {

// The place of an error in a schedule; -1 if only the end shows it.
struct ScheduleError : ProgramError {
    ScheduleError(const std::string& what, int in_channel, int in_step, int of_member)
        : ProgramError(what), channel(in_channel), step(in_step), member(of_member) {}
    int channel;
    int step;
    int member;
};

// Throws ScheduleError, which names the member, chunk, channel and step that are wrong, or the false claim that the
// schedule makes about itself (the length of its messages, its synchrony).
void check_schedule(const Schedule& schedule);

// The strictest promise that holds for all channels, or later_step if the schedule allows messages to be received later
// than in the step they are sent in. Requires: a schedule that passes the check.
Synchrony synchrony_of(const Schedule& schedule);

}  // namespace sim::collectives
