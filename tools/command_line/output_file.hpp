// Writes a file as a whole or not at all: under another name in the same folder, moved into place when it is complete.
#pragma once

#include <functional>
#include <ostream>
#include <string>

namespace sim::command_line {

// Whether `file` could be written, as far as one can see before: its folder is there, and what it would replace is an
// ordinary file. Throws OutputError, naming file and reason.
void check_output(const std::string& file);

// Throws OutputError, naming file and reason; then `file` is as it was.
void write_output(const std::string& file, const std::function<void(std::ostream&)>& write);

}  // namespace sim::command_line
