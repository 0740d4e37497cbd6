#include "tools/command_line/command_line.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

namespace sim::scenarios {

namespace {

std::string footer(const Executable& executable) {
    std::string text = "Examples:\n";
    for (const std::string& example : executable.examples) {
        text += "  " + example + "\n";
    }
    return text;
}

// What follows the options on a usage line: "KIND [FILE]".
std::string arguments_of(const std::vector<OptionRow>& rows) {
    std::vector<std::string> names;
    for (const OptionRow& row : rows) {
        if (row.role != Role::option) {
            names.push_back(row.role == Role::argument ? row.name : fmt::format("[{}]", row.name));
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
        throw UsageError(fmt::format("unexpected argument \"{}\"; {}, see --help", extra, why));
    }
    std::vector<std::string> known = option_names(rows);
    known.insert(known.begin(), {"config", "help", "version"});
    const std::string name = extra.substr(0, extra.find('='));
    const std::string hint = did_you_mean(name.substr(std::min(name.find_first_not_of('-'), name.size())), known, "--");
    throw UsageError(fmt::format("unknown option {}{}", name, hint.empty() ? "; see --help" : hint));
}

void add_row(CLI::App& app, const OptionRow& row, CommandLine& line) {
    const auto take = [&line, name = row.name](const std::string& text) { line.given.emplace_back(name, text); };
    if (row.role != Role::option) {
        // Not required() yet: a wrong option is the better complaint than a missing argument.
        app.add_option_function<std::string>(row.name, take, row.help)->type_name("");
    } else if (std::holds_alternative<Flag>(row.kind)) {
        const auto on = [take](std::int64_t count) { take(count > 0 ? "true" : "false"); };
        app.add_flag_function("--" + row.name, on, row.help)->disable_flag_override();
    } else {
        auto* option = app.add_option_function<std::string>("--" + row.name, take, row.help);
        option->type_name(row.takes)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
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
    CommandLine line;
    CLI::App app(executable.summary, executable.name);
    app.set_help_flag("-h,--help", "print this and exit");
    app.set_version_flag("--version", version_line(), "print the version and exit");
    app.get_formatter()->column_width(30);
    app.get_formatter()->label("REQUIRED", "");  // the usage line shows it
    app.footer(footer(executable));
    app.allow_extras();
    for (const OptionRow& row : rows) {
        add_row(app, row, line);
    }
    const auto take_config = [&line](const std::string& file) { line.config = file; };
    app.add_option_function<std::string>("--config", take_config,
                                         "NAME = VALUE of the same options; the command line wins")
        ->type_name("FILE.toml")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        for (const OptionRow& row : rows) {
            if (row.role == Role::argument) {
                app.get_option(row.name)->required();
            }
        }
        return Answer{app.help()};
    } catch (const CLI::CallForVersion& version) {
        return Answer{version.what()};
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string what = error.what();  // "--items: 1 required N missing"
        throw UsageError(fmt::format("{} needs a value; see --help", what.substr(0, what.find(':'))));
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what());
    }
    for (const std::string& extra : app.remaining()) {
        if (extra != "--") {
            refuse_extra(extra, executable, rows);
        }
    }
    check_arguments(rows, line);
    return line;
}

}  // namespace sim::scenarios
