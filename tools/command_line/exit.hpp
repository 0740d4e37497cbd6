// An executable ends with an exit code, and one line on standard error that says why.
#pragma once

#include "ranks/exit_code.hpp"

#include <functional>
#include <string>

namespace sim::command_line {

using namespace exit_code;

// Writes `text` to standard error, as plain text (libsim/plain_text.hpp). Where that cannot be written, nothing is
// said: the exit code still tells.
void tell(const std::string& text);

// Tells "NAME: what" as one line, whatever is in it, and shortened where it is very long. Returns `exit_code`.
int complain(const std::string& name, std::string what, int exit_code);

// To standard output, as plain text. Throws OutputError.
void print(const std::string& text);

// The same for a picture of ours, with its colours and moves of the cursor: its labels are terminal_text() already.
void tell_drawn(const std::string& picture);
void print_drawn(const std::string& picture);

// The body of a main: what it returns, or the exit code of what it throws, with its error message.
int exit_code_of(const std::string& name, const std::function<int()>& body);

}  // namespace sim::command_line
