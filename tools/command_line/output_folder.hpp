// A folder of output files is written as a whole or not at all, as output_file.hpp says of one file.
#pragma once

#include "libsim/report/trace_file.hpp"

#include <string>
#include <vector>

namespace sim::command_line {

// Checks that `folder` (with or without / at its end) can be written, as far as this can be known in advance: it is not
// there yet or is empty, and the folder that it lies in can be written. Throws OutputError, naming folder and reason.
void check_output_folder(const std::string& folder);

// Throws OutputError; then `folder` is as it was.
void write_output_folder(const std::string& folder, const std::vector<report::TraceFile>& files);

}  // namespace sim::command_line
