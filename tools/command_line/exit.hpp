// An executable ends with an exit code, and one line on standard error that gives the reason.
#pragma once

#include "ranks/exit_code.hpp"

#include <functional>
#include <string>

namespace sim::command_line {

using namespace exit_code;

// Writes `text` to standard error, as plain text (libsim/plain_text.hpp). Ignores failed writes: the exit code reports
// the error anyway.
void tell(const std::string& text);

// Prints "NAME: what" as one line, whatever it contains, and shortens it if it is very long. Returns `exit_code`.
int complain(const std::string& name, std::string what, int exit_code);

// Prints to standard output, as plain text. Throws OutputError.
void print(const std::string& text);

// Like tell() for a picture of ours, with its colours and cursor movements: its labels are already terminal_text().
void tell_drawn(const std::string& picture);
void print_drawn(const std::string& picture);

// Runs the body of a main: returns its result, or reports its exception and returns the matching exit code.
int exit_code_of(const std::string& name, const std::function<int()>& body);

}  // namespace sim::command_line
