// Why a schedule did not end: the operations at which it is stuck, what each waits for, and what comes nearest to that.
#pragma once

#include "libsim/goal/run.hpp"
#include "libsim/goal/schedule.hpp"

#include <string>
#include <string_view>

namespace sim::goal {

// Several lines; `text` is what `schedule` was parsed from. Requires: not outcome.finished.
std::string explain(const GoalSchedule& schedule, const GoalOutcome& outcome, std::string_view text);

// "2 messages met no receive, the first at line 3: …"; empty where all did.
std::string explain_unreceived(const GoalSchedule& schedule, const GoalOutcome& outcome, std::string_view text);

}  // namespace sim::goal
