// near_miss() finds the operation closest to the missing partner of a receive, or of a send that waits for its receive.
#pragma once

#include "libsim/interop/goal/run.hpp"
#include "libsim/interop/goal/schedule.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sim::goal {

using NameOf = std::function<std::string(OpIndex)>;  // "line 3, s"

struct Unmatched {
    std::vector<bool> blocked;  // by operation: never began
    std::vector<bool> single;   // began, and met no partner
};
Unmatched unmatched(const GoalSchedule& schedule, const GoalOutcome& outcome);

// Half a sentence. Cost: one pass over all operations. Requires: `op` is in outcome.waiting.
std::string near_miss(const GoalSchedule& schedule, const Unmatched& unmatched, OpIndex op, const NameOf& name_of);

}  // namespace sim::goal
