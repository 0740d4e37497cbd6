// Settings hold each value and its origin: the options of the command line and of --config FILE.toml, the command line
// above the file.
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
    bool typed = false;  // on the command line
};
using Settings = std::map<std::string, Setting>;

// Every value is one that its row takes. Throws UsageError where one is not, also if the command line wins over it.
std::variant<Settings, Answer> read_settings(const Executable& executable, const std::vector<config::OptionRow>& rows,
                                             int argc, const char* const* argv);

void set_options(const Settings& settings, const std::vector<config::OptionRow>& rows);
// Those that change the result.
config::Given given_of(const Settings& settings, const std::vector<config::OptionRow>& rows);

// Reads and sets what `rows` refer to. None: --help or --version was given, and has been printed.
std::optional<Settings> take_options(const Executable& executable, const std::vector<config::OptionRow>& rows, int argc,
                                     const char* const* argv);

}  // namespace sim::command_line
