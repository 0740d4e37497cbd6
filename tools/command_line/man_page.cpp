#include "tools/command_line/help_topics.hpp"

#include "ranks/exit_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace sim::command_line {

namespace {

struct ManRow {
    std::string term;
    const char* text;
};

const std::array<ManRow, 9>& exit_rows() {
    static const std::array<ManRow, 9> rows{{
        {fmt::format("{}", +exit_code::done), "All went well."},
        {fmt::format("{}", +exit_code::failed), "The answer is no: it does not fit, or numbers are wrong."},
        {fmt::format("{}", +exit_code::usage), "The command line or a file asks for something impossible."},
        {fmt::format("{}", +exit_code::deadlock), "Ranks wait forever, or disagree."},
        {fmt::format("{}", +exit_code::rank_died), "A rank died."},
        {fmt::format("{}", +exit_code::rank_hung), "A rank hung."},
        {fmt::format("{}", +exit_code::no_output), "A result could not be written."},
        {fmt::format("{}", +exit_code::machine_limit), "This machine cannot do it."},
        {fmt::format("{} + N", +exit_code::stopped), "Signal N ended the run."},
    }};
    return rows;
}

constexpr std::array<std::pair<const char*, const char*>, 4> variables{{
    {"NO_COLOR", "Set and not empty: no colours."},
    {"CLICOLOR_FORCE", "Set and not 0: colours also in files and pipes."},
    {"COLUMNS", "Width of drawings if no terminal gives it."},
    {"TERM", "dumb: a terminal without colours, cursor movement or characters beyond ASCII."},
}};

// Escapes text for roff: backslashes and hyphens stay characters, and no line begins with a command.
std::string shown(const std::string& text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '\\': result += "\\e"; break;
            case '-': result += "\\-"; break;
            case '\n': result += ' '; break;
            default: result += c;
        }
    }
    return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

std::string bold(const std::string& text) {
    return "\\fB" + shown(text) + "\\fR";
}
std::string italic(const std::string& text) {
    return "\\fI" + shown(text) + "\\fR";
}

// "-h", "--help"
std::string dashed(const std::string& name) {
    return (name.size() == 1 ? "-" : "--") + name;
}

// "-h, --help", "--model NAME|FILE", "ACTION"
std::string term_of(const OptionFacts& option) {
    if (option.role != config::Role::option) {
        return italic(option.name);
    }
    std::string term;
    for (const std::string& name : option.also) {
        term += bold(dashed(name)) + ", ";
    }
    term += bold(dashed(option.name));
    return option.takes.empty() ? term : term + " " + italic(option.takes);
}

void add_section(std::string& page, const char* title) {
    page += fmt::format(".SH {}\n", title);
}
void add_row(std::string& page, const std::string& term, const std::string& text) {
    page += fmt::format(".TP\n{}\n{}\n", term, shown(text));
}

// A single group of options needs no heading of its own.
void add_options(std::string& page, const ProgramFacts& facts) {
    std::vector<OptionGroup> groups = groups_of(facts);
    if (!groups.empty() && groups.front().options.front().role != config::Role::option) {
        add_section(page, "ARGUMENTS");
        for (const OptionFacts& argument : groups.front().options) {
            add_row(page, term_of(argument), argument.help);
        }
        groups.erase(groups.begin());
    }
    add_section(page, "OPTIONS");
    for (const OptionGroup& group : groups) {
        page += groups.size() > 1 ? fmt::format(".SS {}\n", shown(group.heading)) : "";
        for (const OptionFacts& option : group.options) {
            add_row(page, term_of(option), option.help);
        }
    }
}

// The first sentence, as a clause: apropos lists it.
std::string one_line(const ProgramFacts& facts) {
    std::string line = facts.summary.substr(0, facts.summary.find(". "));
    line = line.substr(0, line.find_last_not_of('.') + 1);
    const bool is_word = line.size() > 1 && std::islower(static_cast<unsigned char>(line[1])) != 0;
    if (is_word) {
        line.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(line.front())));
    }
    return line;
}

// The manual pages of its commands; for a command, that of the program.
std::string see_also(const ProgramFacts& facts) {
    std::string pages;
    const auto add = [&](const std::string& program) {
        pages += (pages.empty() ? "" : ", ") + bold(man_name(program)) + "(1)";
    };
    for (const CommandFacts& command : facts.commands) {
        add(facts.name + " " + command.name);
    }
    if (const std::size_t space = facts.name.rfind(' '); space != std::string::npos) {
        add(facts.name.substr(0, space));
    }
    return pages;
}

}  // namespace

std::string man_name(const std::string& program) {
    std::string name = program;
    std::replace(name.begin(), name.end(), ' ', '-');
    return name;
}

std::string man_page(const ProgramFacts& facts, const std::string& version) {
    std::string title = man_name(facts.name);
    std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
    std::string page = fmt::format(".TH \"{}\" 1 \"\" \"{}\" \"ndsim\"\n.nh\n.ad l\n", shown(title), shown(version));
    page += fmt::format(".SH NAME\n{} \\- {}\n", shown(man_name(facts.name)), shown(one_line(facts)));
    const std::string usage = facts.usage();
    page += fmt::format(".SH SYNOPSIS\n{}{}\n", bold(facts.name), shown(usage.substr(facts.name.size())));
    page += fmt::format(".SH DESCRIPTION\n{}\n", shown(facts.summary));
    if (!facts.commands.empty()) {
        add_section(page, "COMMANDS");
        for (const CommandFacts& command : facts.commands) {
            add_row(page, bold(command.name), command.summary);
        }
    }
    add_options(page, facts);
    add_section(page, "EXAMPLES");
    for (const std::string& example : facts.examples) {
        page += fmt::format(".nf\n{}\n.fi\n", shown(example));
    }
    add_section(page, "EXIT STATUS");
    for (const ManRow& row : exit_rows()) {
        add_row(page, bold(row.term), row.text);
    }
    add_section(page, "ENVIRONMENT");
    for (const auto& [name, text] : variables) {
        add_row(page, bold(name), text);
    }
    const std::string others = see_also(facts);
    if (!others.empty()) {
        page += fmt::format(".SH SEE ALSO\n{}\n", others);
    }
    return page;
}

}  // namespace sim::command_line
