// The last step of writing a program down: what GOAL numbers otherwise than the kernel, once all ranks are there.
#pragma once

#include "libsim/interop/goal/schedule.hpp"

namespace sim::goal {

// CPUs that are streams become 0, 1, …, and tags, the kernel's, such that no two streams share one (from_program.hpp).
void number_streams(GoalSchedule& schedule);

}  // namespace sim::goal
