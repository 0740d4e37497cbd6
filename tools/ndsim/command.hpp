// The commands of `ndsim`, by name: one table, which --help prints.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace sim::scenarios {

struct Command {
    std::string name;
    std::string summary;  // half a line
    // As a main: argv[0] is the command's name. Returns the exit code, or throws what exit_code_of() knows.
    std::function<int(int argc, const char* const* argv)> run;
};

// In the order in which they are shown. A new command is a pair of files and one line here.
std::vector<Command> commands();

}  // namespace sim::scenarios
