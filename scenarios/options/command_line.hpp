// The command line, taken apart: which options were given, with what. The one place that knows CLI11.
#pragma once

#include "scenarios/options/option_table.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sim::scenarios {

struct CommandLine {
    std::vector<std::pair<std::string, std::string>> given;  // option, text; an option given twice: the last
    std::optional<std::string> config;
};

// Throws UsageError for an unknown option or a missing value. Values are not looked at.
std::variant<CommandLine, Answer> read_command_line(const Scenario& scenario, const std::vector<OptionRow>& rows,
                                                    int argc, const char* const* argv);

}  // namespace sim::scenarios
