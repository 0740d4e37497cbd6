// Every option, once: its name, what it takes, and what it sets. The command line and --config read the same table.
#pragma once

#include "scenarios/options/options.hpp"
#include "scenarios/options/toml_file.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace sim::scenarios {

struct Whole {
    std::int64_t low;
    std::int64_t high;
    std::function<void(Options&, std::int64_t)> set;
};
struct Real {
    double low;
    double high;
    std::function<void(Options&, double)> set;
};
struct Choice {
    std::vector<std::string> names;
    std::function<void(Options&, std::size_t)> set;  // which of them
};
struct Text {
    std::function<void(Options&, const std::string&)> set;
};
struct Flag {
    std::function<void(Options&, bool)> set;
};

struct OptionRow {
    std::string name;   // without --
    std::string takes;  // N, X, FILE …; empty for a flag
    std::string help;
    std::variant<Whole, Real, Choice, Text, Flag> kind;
};

// Without --config, --help and --version, which are the command line's own.
std::vector<OptionRow> option_table(const Scenario& scenario);

// Checks `value` and sets it. `what` names the option in the complaint: "--items", or "run.toml:3: items".
void set_option(const OptionRow& row, const std::string& what, const TomlValue& value, Options& options);

// What was typed on a command line, as the kind of value that `row` takes if it is one.
TomlValue value_of_text(const OptionRow& row, const std::string& text);

}  // namespace sim::scenarios
