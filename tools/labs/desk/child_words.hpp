// These functions handle the output of learners' programs, which run as separate processes.
#pragma once

#include <string>

namespace sim::labs {

// The exit code of `timeout` for a program that it had to stop.
inline constexpr int exit_code_of_timeout = 124;

// The text of a file; empty if it does not exist.
std::string text_in(const std::string& file);
std::string last_line(const std::string& text);

}  // namespace sim::labs
