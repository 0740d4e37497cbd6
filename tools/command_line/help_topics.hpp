// Help topics are printed by --help TOPIC of every program instead of the list of options.
#pragma once

#include "tools/command_line/program_facts.hpp"

#include <string>

namespace sim::command_line {

struct HelpTopic {
    const char* name;  // "columns"
    std::string (*text)(const ProgramFacts& facts);
};

// The --help output of a program without commands: its examples, and its options by group, broken into lines of at most
// `columns` columns. Usage lines and examples are not broken.
std::string help_text(const ProgramFacts& facts, int columns);

// The topic after --help, at any position; null: no --help, or no topic.
const HelpTopic* topic_asked_for(int argc, const char* const* argv);

// The --help output of a program with commands: the requested topic, or the list of commands.
std::string help_of_commands(const ProgramFacts& facts, int argc, const char* const* argv);

// The name of a program's manual page: "ndsim-train". Requires: `program` is a program's name.
std::string man_name(const std::string& program);

// A program's manual page in roff, section 1. Every character with a meaning in roff is escaped.
std::string man_page(const ProgramFacts& facts, const std::string& version);

}  // namespace sim::command_line
