#include "tools/command_line/help_topics.hpp"

#include "tools/command_line/columns.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/command_line/man_page.hpp"

#include <array>
#include <string_view>

namespace sim::command_line {

namespace {

constexpr std::array<HelpTopic, 3> topics{{
    {"columns",
     [](const ProgramFacts& facts) {
         return facts.commands.empty() || documents_columns(facts.name) ? columns_text(facts.name)
                                                                        : columns_text_of_all();
     }},
    {"man", [](const ProgramFacts& facts) { return man_page(facts, version_line()); }},
    {"options", json_of},
}};

}  // namespace

const HelpTopic* topic_asked_for(int argc, const char* const* argv) {
    for (int i = 1; i + 1 < argc; ++i) {
        const std::string_view arg = argv[i];
        if (arg != "--help" && arg != "-h") {
            continue;
        }
        for (const HelpTopic& topic : topics) {
            if (std::string_view(argv[i + 1]) == topic.name) {
                return &topic;
            }
        }
    }
    return nullptr;
}

}  // namespace sim::command_line
