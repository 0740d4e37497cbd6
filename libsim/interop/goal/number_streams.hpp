// The last step of writing a schedule, once all ranks are written: replaces the kernel's numbers by GOAL's.
#pragma once

#include "libsim/interop/goal/schedule.hpp"

namespace sim::goal {

// Renumbers CPUs, that is streams, to 0, 1, …, and tags so that no two streams share one (from_program.hpp).
void number_streams(GoalSchedule& schedule);

}  // namespace sim::goal
