// A manual page presents a program's facts in the format of man: ndsim-train.1.
#pragma once

#include "tools/command_line/program_facts.hpp"

#include <string>

namespace sim::command_line {

// The page's name: "ndsim-train". Requires: `program` is a program's name.
std::string man_name(const std::string& program);

// The page in roff, section 1. Every character with a meaning in roff is escaped.
std::string man_page(const ProgramFacts& facts, const std::string& version);

}  // namespace sim::command_line
