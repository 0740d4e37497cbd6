// A trace is written in the format given by its file's suffix: one file, or a folder of files.
//
// Both functions throw UsageError for an unknown suffix, and OutputError for files that cannot be written.
#pragma once

#include "libsim/report/timeline.hpp"

#include <string>

namespace sim::command_line {

// Checks what can be checked before the work begins.
void check_trace(const std::string& file);
void write_trace(const std::string& file, const report::Timeline& timeline);

}  // namespace sim::command_line
