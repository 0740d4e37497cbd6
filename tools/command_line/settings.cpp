#include "tools/command_line/settings.hpp"

#include "libsim/check.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::scenarios {

namespace {

void read_config(const std::string& file, const std::vector<OptionRow>& rows, Settings& settings) {
    for (const TomlEntry& entry : read_toml(file)) {
        const OptionRow* row = find_row(rows, entry.key);
        if (row == nullptr || row->role != Role::option) {
            throw UsageError(fmt::format("{}: unknown option {}{}", entry.where, entry.key,
                                         did_you_mean(entry.key, option_names(rows))));
        }
        const Setting setting{fmt::format("{}: {}", entry.where, entry.key), entry.value};
        check_option(*row, setting.what, setting.value);
        settings[entry.key] = setting;
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
        const Setting setting{typed_name(row), value_of_text(row, text), true};
        check_option(row, setting.what, setting.value);
        settings[name] = setting;
    }
    return settings;
}

void set_options(const Settings& settings, const std::vector<OptionRow>& rows) {
    for (const auto& [name, setting] : settings) {
        set_option(row_named(rows, name), setting.what, setting.value);
    }
}

}  // namespace sim::scenarios
