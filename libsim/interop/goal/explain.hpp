// explain() states why a schedule did not finish: the operations that are stuck, what each waits for, and the nearest
// match.
#pragma once

#include "libsim/interop/goal/run.hpp"
#include "libsim/interop/goal/schedule.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sim::goal {

using NameOf = std::function<std::string(OpIndex)>;  // "line 3, s"

struct Unmatched {
    std::vector<bool> blocked;  // by operation: never began
    std::vector<bool> single;   // began, and met no partner
};
Unmatched unmatched(const GoalSchedule& schedule, const GoalOutcome& outcome);

// The operation closest to the missing partner of a receive, or of a send that waits for its receive, as half a
// sentence. Cost: one pass over all operations. Requires: `op` is in outcome.waiting.
std::string near_miss(const GoalSchedule& schedule, const Unmatched& unmatched, OpIndex op, const NameOf& name_of);

// Several lines; `text` is the source that `schedule` was parsed from. Requires: not outcome.finished.
std::string explain(const GoalSchedule& schedule, const GoalOutcome& outcome, std::string_view text);

// "2 messages met no receive, the first at line 3: …"; empty if all were received.
std::string explain_unreceived(const GoalSchedule& schedule, const GoalOutcome& outcome, std::string_view text);

}  // namespace sim::goal
