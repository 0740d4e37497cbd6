#include "libsim/report/terminal_text.hpp"
#include "tools/command_line/help_topics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim::command_line {

namespace {

using report::columns_of;
using report::wrapped;

// A longer term has a line of its own.
constexpr int widest_term = 26;
constexpr int help_margin = 2;

// "-h, --help", "--model NAME|FILE", "FILE". Other names of an option are left out, except short ones.
std::string plain_term(const OptionFacts& option) {
    if (option.role != config::Role::option) {
        return argument_text(option.name, option.role);
    }
    std::string term;
    for (const std::string& name : option.also) {
        term += name.size() == 1 ? fmt::format("-{}, ", name) : "";
    }
    return term + "--" + option.name + (option.takes.empty() ? "" : " " + option.takes);
}

int width_of_terms(const ProgramFacts& facts) {
    int widest = 0;
    for (const OptionFacts& option : facts.options) {
        const int width = columns_of(plain_term(option));
        widest = width <= widest_term ? std::max(widest, width) : widest;
    }
    return widest;
}

std::string help_row(const OptionFacts& option, int width, std::size_t columns) {
    const std::string term = std::string(help_margin, ' ') + plain_term(option);
    const int begin = help_margin + width + 2;
    const std::string help = wrapped(option.help, columns, static_cast<std::size_t>(begin));
    if (columns_of(term) + 2 > begin) {
        return term + "\n" + help;
    }
    return term + help.substr(static_cast<std::size_t>(columns_of(term)));
}

}  // namespace

std::string help_text(const ProgramFacts& facts, int columns) {
    const auto width = static_cast<std::size_t>(columns);
    std::string text = fmt::format("{}Usage: {}\n\nExamples:\n  {}\n", wrapped(facts.summary, width, 0), facts.usage(),
                                   fmt::join(facts.examples, "\n  "));
    const int terms = width_of_terms(facts);
    for (const OptionGroup& group : groups_of(facts)) {
        text += fmt::format("\n{}:\n", group.heading);
        for (const OptionFacts& option : group.options) {
            text += help_row(option, terms, width);
        }
    }
    return text;
}

}  // namespace sim::command_line
