// A manual page is a program's facts in the language of man: ndsim-train.1.
#pragma once

#include "tools/command_line/program_facts.hpp"

#include <string>

namespace sim::command_line {

// The page's name: "ndsim-train". Requires: it is a program's name.
std::string man_name(const std::string& program);

// The page in roff, section 1. Every character that roff
// reads as its own is written so that it is shown.
std::string man_page(const ProgramFacts& facts, const std::string& version);

}  // namespace sim::command_line
