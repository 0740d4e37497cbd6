// How an executable ends: its exit code, and one line on standard error that says why.
#pragma once

#include <functional>
#include <string>

namespace sim::scenarios {

// Beside those of a fault (ranks/launch.hpp).
enum ExitCode { done = 0, failed = 1, usage = 2, deadlock = 3, no_output = 6, machine_limit = 7, stopped = 128 };

// "NAME: what", as one line whatever is in it. Returns `exit_code`.
int complain(const std::string& name, std::string what, int exit_code);

// To standard output. Throws OutputError.
void print(const std::string& text);

// The body of a main: what it returns, or the exit code of what it throws, with its complaint.
int exit_code_of(const std::string& name, const std::function<int()>& body);

}  // namespace sim::scenarios
