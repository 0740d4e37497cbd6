#include "tools/command_line/command_line.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"
#include "libsim/split.hpp"
#include "tools/command_line/help_topics.hpp"
#include "tools/command_line/program_facts.hpp"
#include "tools/command_line/terminal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string_view>

namespace sim::command_line {

using namespace config;

namespace {

// As wide as a page, or a narrower terminal.
int columns_of_help() {
    constexpr int page = 120;
    return isatty(STDOUT_FILENO) == 1 ? std::min(page, terminal_at(STDOUT_FILENO).columns) : page;
}

// The arguments on a usage line: "KIND [FILE]".
std::string arguments_of(const std::vector<OptionRow>& rows) {
    std::vector<std::string> names;
    for (const OptionRow& row : rows) {
        if (row.role != Role::option) {
            names.push_back(argument_text(row.name, row.role));
        }
    }
    return fmt::format("{}", fmt::join(names, " "));
}

[[noreturn]] void refuse_extra(const std::string& extra, const Executable& executable,
                               const std::vector<OptionRow>& rows) {
    if (extra.empty() || extra.front() != '-') {
        const std::string arguments = arguments_of(rows);
        const std::string why =
            arguments.empty() ? "every option begins with --" : fmt::format("usage: {} {}", executable.name, arguments);
        throw UsageError(fmt::format("unexpected argument \"{}\"; {}, see --help", shortened(extra), why));
    }
    std::vector<std::string> known = option_names(rows);
    known.insert(known.begin(), {config_option().name, help_option().name, version_option().name});
    const std::string name = extra.substr(0, extra.find('='));
    const std::string bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
    if (const auto other = executable.elsewhere.find(bare); other != executable.elsewhere.end()) {
        throw UsageError(fmt::format("unknown option {}; it is an option of {}", name, other->second));
    }
    const std::string hint = did_you_mean(bare, known, "--");
    throw UsageError(fmt::format("unknown option {}{}", shortened(name), hint.empty() ? "; see --help" : hint));
}

std::string typed_name(const std::string& name) {
    return (name.size() == 1 ? "-" : "--") + name;
}

void add_row(CLI::App& app, const OptionRow& row, CommandLine& line) {
    const auto take = [&line, name = row.name](const std::string& text) { line.given.emplace_back(name, text); };
    if (row.role == Role::more_arguments) {
        const auto take_all = [take](const std::vector<std::string>& words) {
            take(fmt::format("{}", fmt::join(words, "\n")));
        };
        app.add_option_function<std::vector<std::string>>(row.name, take_all);
    } else if (row.role != Role::option) {
        // Not required(), because an unknown option is the better error than a missing argument: check_arguments().
        app.add_option_function<std::string>(row.name, take);
    } else if (std::holds_alternative<Flag>(row.kind)) {
        const auto on = [take](std::int64_t count) { take(count > 0 ? "true" : "false"); };
        app.add_flag_function("--" + row.name, on)->disable_flag_override();
    } else {
        const auto add = [&](const std::string& name) {
            const auto take_it = [&line, name, repeats = row.repeats](const std::string& text) {
                line.given.emplace_back(name, repeats ? fmt::format("{}", fmt::join(split(text, '\n'), "; ")) : text);
            };
            return app.add_option_function<std::string>(typed_name(name), take_it)
                ->multi_option_policy(row.repeats ? CLI::MultiOptionPolicy::Join : CLI::MultiOptionPolicy::TakeLast);
        };
        add(row.name);
        for (const std::string& name : row.also) {
            add(name);
        }
    }
}

// Without this check the last one would win silently.
void refuse_twice(const CLI::Option& option) {
    const std::vector<std::string>& typed = option.results();
    if (typed.size() > 1) {
        throw UsageError(fmt::format("{} is given twice, as {} and as {}; leave one out", option.get_name(),
                                     shortened(typed[0]), shortened(typed[1])));
    }
}

void check_arguments(const std::vector<OptionRow>& rows, const CommandLine& line) {
    for (const OptionRow& row : rows) {
        const auto is_it = [&](const auto& given) { return given.first == row.name; };
        if (row.role == Role::argument && std::none_of(line.given.begin(), line.given.end(), is_it)) {
            throw UsageError(fmt::format("{} is missing: {}; see --help", row.name, row.help));
        }
    }
}

}  // namespace

std::string version_line() {
    return "ndsim " NDSIM_VERSION "\n";
}

std::variant<CommandLine, Answer> read_command_line(const Executable& executable, const std::vector<OptionRow>& rows,
                                                    int argc, const char* const* argv) {
    if (const HelpTopic* topic = topic_asked_for(argc, argv); topic != nullptr) {
        return Answer{topic->text(facts_of(executable, rows))};
    }
    CommandLine line;
    CLI::App app;
    app.set_help_flag("-h,--help");
    app.set_version_flag("--version", version_line());
    app.allow_extras();
    for (const OptionRow& row : rows) {
        add_row(app, row, line);
    }
    const auto take_config = [&line](const std::string& file) { line.config = file; };
    const OptionFacts config = config_option();
    app.add_option_function<std::string>("--" + config.name, take_config)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return Answer{help_text(facts_of(executable, rows), columns_of_help())};
    } catch (const CLI::CallForVersion& version) {
        return Answer{version.what()};
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string what = error.what();  // "--items: 1 required N missing"
        throw UsageError(fmt::format("{} needs a value; see --help", what.substr(0, what.find(':'))));
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what());
    }
    for (const OptionRow& row : rows) {
        if (row.role == Role::option && !row.repeats && !std::holds_alternative<Flag>(row.kind)) {
            refuse_twice(*app.get_option(typed_name(row.name)));
        }
    }
    refuse_twice(*app.get_option("--" + config.name));
    for (const std::string& extra : app.remaining()) {
        if (extra != "--") {
            refuse_extra(extra, executable, rows);
        }
    }
    check_arguments(rows, line);
    return line;
}

}  // namespace sim::command_line
