// An output file is written as a whole or not at all: under another name in the same folder, moved into place when it
// is complete.
#pragma once

#include <functional>
#include <ostream>
#include <string>

namespace sim::command_line {

// Checks that `file` can be written, as far as this can be known in advance: its folder exists, and it would replace
// nothing but an ordinary file. Throws OutputError, naming file and reason.
void check_output(const std::string& file);

// Throws OutputError, naming file and reason; then `file` is as it was.
void write_output(const std::string& file, const std::function<void(std::ostream&)>& write);

}  // namespace sim::command_line
