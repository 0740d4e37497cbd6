// A folder of output files is written as a whole or not at all, like the single file of output_file.hpp.
#pragma once

#include "libsim/report/trace_file.hpp"

#include <string>
#include <vector>

namespace sim::command_line {

// Checks in advance, as far as possible, that `folder` (with or without a final /) can be written: it does not exist or
// is empty, and its parent folder can be written. Throws OutputError, naming folder and reason.
void check_output_folder(const std::string& folder);

// Throws OutputError, and then leaves `folder` unchanged.
void write_output_folder(const std::string& folder, const std::vector<report::TraceFile>& files);

}  // namespace sim::command_line
