// Settings hold each value and its origin: the options of the command line and of --config FILE.toml; the command line
// takes precedence.
#pragma once

#include "libsim/config/given.hpp"
#include "libsim/config/option_row.hpp"
#include "tools/command_line/command_line.hpp"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sim::command_line {

struct Setting {
    std::string what;  // for error messages
    config::TomlValue value;
    bool typed = false;  // given on the command line
};
using Settings = std::map<std::string, Setting>;

// Checks every value against its row. Throws UsageError for a bad one, even if the command line overrides it.
std::variant<Settings, Answer> read_settings(const Executable& executable, const std::vector<config::OptionRow>& rows,
                                             int argc, const char* const* argv);

void set_options(const Settings& settings, const std::vector<config::OptionRow>& rows);
// The settings that change the result.
config::Given given_of(const Settings& settings, const std::vector<config::OptionRow>& rows);

// Reads the options and sets the fields of `rows`. Nothing: --help or --version was given, and has been printed.
std::optional<Settings> take_options(const Executable& executable, const std::vector<config::OptionRow>& rows, int argc,
                                     const char* const* argv);

}  // namespace sim::command_line
