// This output writes a program as Chakra execution traces, for ASTRA-sim and `ndsim chakra`.
#pragma once

#include "libsim/report/trace_file.hpp"
#include "tools/command_line/outputs.hpp"

#include <string>
#include <vector>

namespace sim::command_line {

// The error message of an ndsim that was built without Protobuf.
inline constexpr const char* without_protobuf =
    "this ndsim was built without Protobuf, which Chakra's traces need; install Debian's libprotobuf-dev and "
    "protobuf-compiler, and build it again";

// Throws MachineLimit without Protobuf, and OutputError if the folder cannot be written.
void check_chakra(const std::string& folder);

// The files of its ranks and process groups. Throws OutputError for groups that represent larger ones.
std::vector<report::TraceFile> chakra_files(const RecordedProgram& program);

}  // namespace sim::command_line
