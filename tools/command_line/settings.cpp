#include "tools/command_line/settings.hpp"

#include "libsim/check.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"
#include "libsim/split.hpp"
#include "tools/command_line/exit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace sim::command_line {

using namespace config;

namespace {

void read_config(const std::string& file, const std::vector<OptionRow>& rows, Settings& settings) {
    for (const TomlEntry& entry : read_toml(file)) {
        const OptionRow* row = find_row(rows, entry.key);
        if (row == nullptr || row->role != Role::option) {
            throw UsageError(fmt::format("{}: unknown option {}{}", entry.where, entry.key,
                                         did_you_mean(entry.key, option_names(rows))));
        }
        if (row->writes) {
            throw UsageError(fmt::format("{}: {} names a file to write, and only the command line may; say --{} there",
                                         entry.where, entry.key, row->name));
        }
        const Setting setting{fmt::format("{}: {}", entry.where, entry.key), entry.value};
        check_option(*row, setting.what, setting.value);
        settings[row->name] = setting;
    }
}

// Resolves options that contradict each other. The command line takes precedence over a file.
void settle_opposites(Settings& settings) {
    const auto verbose = settings.find("verbose");
    const auto quiet = settings.find("quiet");
    const auto is_on = [&](const Settings::iterator& at) {
        return at != settings.end() && at->second.value == TomlValue(true);
    };
    if (!is_on(verbose) || !is_on(quiet)) {
        return;
    }
    if (verbose->second.typed == quiet->second.typed) {
        throw UsageError(fmt::format("{} and {} exclude each other: every log line, or none", verbose->second.what,
                                     quiet->second.what));
    }
    settings.erase(verbose->second.typed ? quiet : verbose);
}

// The file that a setting names, in canonical form; empty: it names none.
std::string file_of(const TomlValue& value) {
    const auto* const text = std::get_if<std::string>(&value);
    if (text == nullptr || text->empty() || *text == "-") {
        return "";
    }
    std::error_code ignored;
    const auto whole = std::filesystem::weakly_canonical(*text, ignored);
    return ignored ? *text : whole.string();
}

// Two outputs in one file would overwrite each other, and an output in place of an input would destroy it.
void check_files(const Settings& settings, const std::vector<OptionRow>& rows,
                 const std::optional<std::string>& config_file) {
    std::map<std::string, std::string> read;
    std::map<std::string, std::string> written;
    if (config_file) {
        read.emplace(file_of(*config_file), "--config");
    }
    for (const auto& [name, setting] : settings) {
        const OptionRow& row = row_named(rows, name);
        if (row.role == Role::more_arguments) {
            for (const std::string& word : split(typed_text(setting.value), '\n')) {
                read.emplace(file_of(word), setting.what);
            }
            continue;
        }
        const std::string file = file_of(setting.value);
        if (file.empty() || known_values(row).path != Known::Path::file) {
            continue;
        }
        if (!row.writes && std::filesystem::exists(file)) {
            read.emplace(file, setting.what);
        } else if (!row.writes) {
            continue;  // the name of a preset
        } else if (const auto [other, is_new] = written.emplace(file, setting.what); !is_new) {
            throw UsageError(fmt::format("{} and {} would both write {}; give one of them another file", other->second,
                                         setting.what, shortened(typed_text(setting.value))));
        }
    }
    for (const auto& [file, what] : written) {
        if (const auto input = read.find(file); input != read.end()) {
            throw UsageError(fmt::format("{} would write over {}, which {} reads; give it another file", what,
                                         shortened(file), input->second));
        }
    }
}

}  // namespace

std::variant<Settings, Answer> read_settings(const Executable& executable, const std::vector<OptionRow>& rows, int argc,
                                             const char* const* argv) {
    auto read = read_command_line(executable, rows, argc, argv);
    if (auto* answer = std::get_if<Answer>(&read)) {
        return *answer;
    }
    const CommandLine& line = std::get<CommandLine>(read);
    Settings settings;
    if (line.config) {
        read_config(*line.config, rows, settings);
    }
    for (const auto& [name, text] : line.given) {
        const OptionRow& row = row_named(rows, name);
        const std::string typed = row.role == Role::option ? "--" + name : name;
        const Setting setting{typed, value_of_text(row, text), true};
        check_option(row, setting.what, setting.value);
        if (const auto other = settings.find(row.name); other != settings.end() && other->second.typed) {
            throw UsageError(fmt::format("{} and {} are one option; leave one out", other->second.what, setting.what));
        }
        settings[row.name] = setting;
    }
    check_files(settings, rows, line.config);
    settle_opposites(settings);
    return settings;
}

void set_options(const Settings& settings, const std::vector<OptionRow>& rows) {
    for (const auto& [name, setting] : settings) {
        set_option(row_named(rows, name), setting.what, setting.value);
    }
}

Given given_of(const Settings& settings, const std::vector<OptionRow>& rows) {
    Given given;
    for (const auto& [name, setting] : settings) {
        if (row_named(rows, name).changes_result) {
            given.emplace(name, setting.value);
        }
    }
    return given;
}

std::optional<Settings> take_options(const Executable& executable, const std::vector<OptionRow>& rows, int argc,
                                     const char* const* argv) {
    auto read = read_settings(executable, rows, argc, argv);
    if (const auto* answer = std::get_if<Answer>(&read)) {
        print(answer->text);
        return std::nullopt;
    }
    set_options(std::get<Settings>(read), rows);
    return std::get<Settings>(std::move(read));
}

}  // namespace sim::command_line
