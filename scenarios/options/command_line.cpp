#include "scenarios/options/command_line.hpp"

#include "libsim/nearest.hpp"
#include "scenarios/errors.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace sim::scenarios {

namespace {

std::string footer(const Executable& executable) {
    std::string text = "Examples:\n";
    for (const std::string& example : executable.examples) {
        text += "  " + example + "\n";
    }
    return text;
}

[[noreturn]] void refuse_extra(const std::string& extra, const std::vector<OptionRow>& rows) {
    if (extra.empty() || extra.front() != '-') {
        throw UsageError(fmt::format("unexpected argument \"{}\"; every option begins with --, see --help", extra));
    }
    std::vector<std::string> known{"config", "help", "version"};
    for (const OptionRow& row : rows) {
        known.push_back(row.name);
    }
    const std::string name = extra.substr(0, extra.find('='));
    const std::string hint = did_you_mean(name.substr(std::min(name.find_first_not_of('-'), name.size())), known, "--");
    throw UsageError(fmt::format("unknown option {}{}", name, hint.empty() ? "; see --help" : hint));
}

}  // namespace

std::variant<CommandLine, Answer> read_command_line(const Executable& executable, const std::vector<OptionRow>& rows,
                                                    int argc, const char* const* argv) {
    CommandLine line;
    CLI::App app(executable.summary, executable.name);
    app.set_help_flag("-h,--help", "print this and exit");
    app.set_version_flag("--version", "ndsim " NDSIM_VERSION, "print the version and exit");
    app.get_formatter()->column_width(30);
    app.footer(footer(executable));
    app.allow_extras();
    const auto last = CLI::MultiOptionPolicy::TakeLast;
    for (const OptionRow& row : rows) {
        const auto take = [&line, name = row.name](const std::string& text) { line.given.emplace_back(name, text); };
        if (std::holds_alternative<Flag>(row.kind)) {
            const auto on = [take](std::int64_t count) { take(count > 0 ? "true" : "false"); };
            app.add_flag_function("--" + row.name, on, row.help)->disable_flag_override();
        } else {
            auto* option = app.add_option_function<std::string>("--" + row.name, take, row.help);
            option->type_name(row.takes)->multi_option_policy(last);
        }
    }
    const auto take_config = [&line](const std::string& file) { line.config = file; };
    app.add_option_function<std::string>("--config", take_config,
                                         "NAME = VALUE of the same options; the command line wins")
        ->type_name("FILE.toml")
        ->multi_option_policy(last);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return Answer{app.help()};
    } catch (const CLI::CallForVersion& version) {
        return Answer{std::string(version.what()) + "\n"};
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string what = error.what();  // "--items: 1 required N missing"
        throw UsageError(fmt::format("{} needs a value; see --help", what.substr(0, what.find(':'))));
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what());
    }
    if (const auto extras = app.remaining(); !extras.empty()) {
        refuse_extra(extras.front(), rows);
    }
    return line;
}

}  // namespace sim::scenarios
