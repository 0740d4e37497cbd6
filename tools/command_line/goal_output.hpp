// This output is a program as a GOAL schedule, for LogGOPSim, for other simulators, and for `ndsim goal`.
#pragma once

#include "libsim/report/trace_file.hpp"
#include "tools/command_line/outputs.hpp"

#include <vector>

namespace sim::command_line {

// One file. Throws OutputError for what GOAL has no words for (libsim/interop/goal/from_program.hpp).
std::vector<report::TraceFile> goal_file(const RecordedProgram& program);

}  // namespace sim::command_line
