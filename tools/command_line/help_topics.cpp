#include "tools/command_line/help_topics.hpp"

#include "libsim/report/text_table.hpp"
#include "tools/command_line/columns.hpp"
#include "tools/command_line/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>

namespace sim::command_line {

namespace {

// A program with commands and no columns of its own shows those of all its commands.
std::string columns_of(const ProgramFacts& facts) {
    return facts.commands.empty() || has_columns(facts.name) ? columns_text(facts.name) : columns_text_of_all();
}

constexpr std::array<HelpTopic, 3> topics{{
    {"columns", columns_of},
    {"man", [](const ProgramFacts& facts) { return man_page(facts, version_line()); }},
    {"options", json_of},
}};

std::string list_text(const ProgramFacts& facts) {
    report::TextTable list = report::list_of_names("  ");
    for (const CommandFacts& command : facts.commands) {
        list.rows.push_back({{command.name, command.summary}});
    }
    report::TextTable options = report::list_of_names("  ");
    for (const OptionFacts& option : facts.options) {
        options.rows.push_back({{(option.also.empty() ? "--" : "-h,--") + option.name, option.help}});
    }
    return fmt::format("{}\nUsage: {}\n\nCommands:\n{}\nOptions:\n{}\nExamples:\n  {}\n", facts.summary, facts.usage(),
                       text_of(list), text_of(options), fmt::join(facts.examples, "\n  "));
}

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

std::string help_of_commands(const ProgramFacts& facts, int argc, const char* const* argv) {
    const HelpTopic* const topic = topic_asked_for(argc, argv);
    return topic == nullptr ? list_text(facts) : topic->text(facts);
}

}  // namespace sim::command_line
