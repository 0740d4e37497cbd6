// This output writes a program as a GOAL schedule, for LogGOPSim, other simulators, and `ndsim goal`.
#pragma once

#include "libsim/report/trace_file.hpp"
#include "tools/command_line/outputs.hpp"

#include <vector>

namespace sim::command_line {

// A single file. Throws OutputError for a program that GOAL cannot express (libsim/interop/goal/from_program.hpp).
std::vector<report::TraceFile> goal_file(const RecordedProgram& program);

}  // namespace sim::command_line
