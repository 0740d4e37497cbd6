// The parsed command line holds the given options with their values. Only this code knows CLI11.
#pragma once

#include "libsim/config/option_row.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sim::command_line {

// The facts about an executable that --help and the error messages need.
struct Executable {
    std::string name;
    std::string summary;
    std::vector<std::string> examples;
    std::map<std::string, std::string> elsewhere = {};  // options of other executables, by the name of the option
};

// --help, --help columns or --version was given: print this and stop.
struct Answer {
    std::string text;
};

struct CommandLine {
    std::vector<std::pair<std::string, std::string>> given;  // name as typed, and text
    std::optional<std::string> config;
};

// "ndsim 0.1.0\n"
std::string version_line();

// Throws UsageError for an unknown option, a missing value, an option that is given twice, and too many or too few
// arguments. Does not check values.
std::variant<CommandLine, Answer> read_command_line(const Executable& executable,
                                                    const std::vector<config::OptionRow>& rows, int argc,
                                                    const char* const* argv);

}  // namespace sim::command_line
