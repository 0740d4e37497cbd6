// The facts of a program are what can be asked of it, as data: its options, arguments, commands and examples.
//
// --help options prints them as JSON. Manual pages and completion are made of them, and so is the reference on the
// site.
#pragma once

#include "libsim/config/option_row.hpp"

#include <string>
#include <vector>

namespace sim::command_line {

struct Executable;

struct OptionFacts {
    std::string name;   // without --
    std::string takes;  // N, X, FILE …; empty for a flag, and for an argument
    std::string help;
    config::Role role = config::Role::option;
    std::vector<std::string> also = {};  // other names; one letter: -h
    config::Known known = {};
};

struct CommandFacts {
    std::string name;
    std::string summary;
};

struct ProgramFacts {
    std::string name;  // "ndsim train"
    std::string summary;
    std::vector<CommandFacts> commands = {};
    std::vector<OptionFacts> options = {};  // in the order of --help
    std::vector<std::string> examples = {};

    // How it is called: "ndsim trace [OPTIONS] ACTION FILE [OTHER]".
    std::string usage() const;
};

// The options that every program has besides its rows.
OptionFacts help_option();
OptionFacts version_option();
OptionFacts config_option();

// Of a program that reads `rows`.
ProgramFacts facts_of(const Executable& executable, const std::vector<config::OptionRow>& rows);

// The text of --help of a program that has commands.
std::string help_of(const ProgramFacts& facts);

// As JSON, one object in one line, and from it. Requires of the second: the first has written it.
std::string json_of(const ProgramFacts& facts);
ProgramFacts facts_of_json(const std::string& text);

}  // namespace sim::command_line
