// This output is a program as a GOAL schedule, for LogGOPSim, for other simulators, and for `ndsim goal`.
#pragma once

#include "tools/command_line/outputs.hpp"

#include <ostream>

namespace sim::command_line {

// Throws OutputError for what GOAL has no words for (libsim/goal/from_program.hpp).
void write_goal(std::ostream& out, const RecordedProgram& program);

}  // namespace sim::command_line
