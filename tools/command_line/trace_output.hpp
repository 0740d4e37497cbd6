// A trace is written in the format that its file's suffix names: one file, or a folder of them.
//
// Both functions throw UsageError for a suffix that no format has, and OutputError for what cannot be written.
#pragma once

#include "libsim/report/timeline.hpp"

#include <string>

namespace sim::command_line {

// As far as one can see before the work begins.
void check_trace(const std::string& file);
void write_trace(const std::string& file, const report::Timeline& timeline);

}  // namespace sim::command_line
