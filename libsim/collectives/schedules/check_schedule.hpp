// check_schedule() verifies that a schedule does what its kind of collective promises, by carrying it out on names
// instead of numbers.
//
// Every member starts with chunks that carry their owner's name; a copy takes over the received names, and a reduction
// merges those of both. In the end every member must hold the right names, with each contribution counted once; the
// members of an all-reduce must have added in the same order, so that their results are equal bit for bit.
// Cost: members x chunks x members for reductions, less for copies: meant for tests and for users' own schedules.
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/error.hpp"

#include <vector>

namespace sim::collectives {

// The location of an error in a schedule; -1 if only the end shows it.
struct ScheduleError : ProgramError {
    ScheduleError(const std::string& what, int in_channel, int in_step, int of_member)
        : ProgramError(what), channel(in_channel), step(in_step), member(of_member) {}
    int channel;
    int step;
    int member;
};

// Throws ScheduleError, naming the member, chunk, channel and step that are wrong, or the false claim that the schedule
// makes about itself (the length of its messages, its synchrony).
void check_schedule(const Schedule& schedule);

// A member's data for one chunk: chunk `chunk` of the inputs of these members, added up, in ascending order.
struct Held {
    int chunk = 0;
    std::vector<int> of;
};
using Holdings = std::vector<std::vector<Held>>;  // by member, then by the chunk's place

// All members' data before the first step and after each: steps + 1 entries. The channels go step by step side by side.
// Requires: a schedule that passes the check. Cost: steps x members x chunks x members.
std::vector<Holdings> holdings_of_steps(const Schedule& schedule);

// The strictest promise that holds for all channels; later_step if the schedule allows a message to be received in a
// later step than it is sent in. Requires: a schedule that passes the check.
Synchrony synchrony_of(const Schedule& schedule);

}  // namespace sim::collectives
