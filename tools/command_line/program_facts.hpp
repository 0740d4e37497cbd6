// The facts about a program are its interface as data: its options, arguments, commands and examples.
//
// --help options prints them as JSON. Manual pages, completion scripts and the reference on the site are made from
// them.
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
    std::string group = "";  // its heading; empty: "Options"
};

struct CommandFacts {
    std::string name;
    std::string summary;
};

struct ProgramFacts {
    std::string name;  // "ndsim train"
    std::string summary;
    std::vector<CommandFacts> commands = {};
    std::vector<OptionFacts> options = {};  // in the order of their rows; --help lists them by group
    std::vector<std::string> examples = {};

    // The usage line: "ndsim trace [OPTIONS] ACTION FILE [OTHER]".
    std::string usage() const;
};

// The options under one heading.
struct OptionGroup {
    std::string heading;
    std::vector<OptionFacts> options;
};
// The arguments, and then the groups in the order of their first options, with the general options last.
std::vector<OptionGroup> groups_of(const ProgramFacts& facts);

// An argument on a usage line: "FILE", "[OTHER]", "[C …]". Requires: the role is not option.
std::string argument_text(const std::string& name, config::Role role);

// The options that every program has besides its rows.
OptionFacts help_option();
OptionFacts version_option();
OptionFacts config_option();

// Facts about a program that reads `rows`.
ProgramFacts facts_of(const Executable& executable, const std::vector<config::OptionRow>& rows);

// Converts to JSON, one object on one line, and back. Requires of the second: the text is from the first.
std::string json_of(const ProgramFacts& facts);
ProgramFacts facts_of_json(const std::string& text);

}  // namespace sim::command_line
