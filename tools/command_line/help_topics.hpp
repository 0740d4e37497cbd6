// The help topics are what --help TOPIC prints of every program in place of the list of options.
#pragma once

#include "tools/command_line/program_facts.hpp"

#include <string>

namespace sim::command_line {

struct HelpTopic {
    const char* name;  // "columns"
    std::string (*text)(const ProgramFacts& facts);
};

// The topic after --help, wherever that stands; null: --help is not there, or has none.
const HelpTopic* topic_asked_for(int argc, const char* const* argv);

}  // namespace sim::command_line
