// A trace is written in the format given by its file's suffix: one file, or a folder of files.
#pragma once

#include "libsim/report/timeline.hpp"
#include "libsim/report/trace_formats.hpp"

#include <string>
#include <vector>

namespace sim::command_line {

// A folder of output files is written as a whole or not at all, like the single file of output_file.hpp. Checks in
// advance, as far as possible, that `folder` (with or without a final /) can be written: it does not exist or is empty,
// and its parent folder can be written. Throws OutputError, naming folder and reason.
void check_output_folder(const std::string& folder);

// Throws OutputError, and then leaves `folder` unchanged.
void write_output_folder(const std::string& folder, const std::vector<report::TraceFile>& files);

// Checks what can be checked before the work begins. Both functions throw UsageError for an unknown suffix, and
// OutputError for files that cannot be written.
void check_trace(const std::string& file);
void write_trace(const std::string& file, const report::Timeline& timeline);

}  // namespace sim::command_line
