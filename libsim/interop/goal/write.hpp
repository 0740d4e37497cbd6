// This writer makes the text of a GOAL schedule, in the form of text.hpp.
#pragma once

#include "libsim/interop/goal/schedule.hpp"

#include <ostream>
#include <string>

namespace sim::goal {

// `comment` stands above it, line by line. The operations of each rank are labelled l1, l2, …; who waits for whom
// stands behind the later of both.
void write_text(std::ostream& out, const GoalSchedule& schedule, const std::string& comment = "");

}  // namespace sim::goal
