// A completion script completes commands, options and their values in a shell: bash, zsh or fish.
//
// It is generated from the facts about the programs, and runs nothing while it completes. A command is a program too:
// "ndsim train".
#pragma once

#include "tools/command_line/program_facts.hpp"

#include <span>
#include <string>
#include <vector>

namespace sim::command_line {

struct Shell {
    const char* name;
    std::string (*script)(std::span<const ProgramFacts> programs);
};

// bash, zsh and fish. Their scripts define names that begin with _ndsim or __ndsim.
std::span<const Shell> shells();

}  // namespace sim::command_line
