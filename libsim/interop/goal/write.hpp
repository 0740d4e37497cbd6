// This writer produces the text of a GOAL schedule, in the form of text.hpp.
#pragma once

#include "libsim/interop/goal/schedule.hpp"

#include <ostream>
#include <string>

namespace sim::goal {

// Writes `comment` at the top, line by line. The operations of each rank are labelled l1, l2, …; a dependency follows
// the later of its two operations.
void write_text(std::ostream& out, const GoalSchedule& schedule, const std::string& comment = "");

}  // namespace sim::goal
