// explain() states why a schedule did not finish: the operations that are stuck, what each waits for, and the nearest
// match.
#pragma once

#include "libsim/interop/goal/run.hpp"
#include "libsim/interop/goal/schedule.hpp"

#include <string>
#include <string_view>

namespace sim::goal {

// Several lines; `text` is the source that `schedule` was parsed from. Requires: not outcome.finished.
std::string explain(const GoalSchedule& schedule, const GoalOutcome& outcome, std::string_view text);

// "2 messages met no receive, the first at line 3: …"; empty if all were received.
std::string explain_unreceived(const GoalSchedule& schedule, const GoalOutcome& outcome, std::string_view text);

}  // namespace sim::goal
