#include "scenarios/options/options.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/parallel/divide.hpp"
#include "libsim/parallel/mesh.hpp"
#include "scenarios/errors.hpp"
#include "scenarios/options/command_line.hpp"
#include "scenarios/options/option_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sim::scenarios {

namespace {

// Where ranks are processes, and where they are fibers.
constexpr int most_processes = 4'096;
constexpr int most_fibers = 100'000;

struct Setting {
    std::string what;  // for complaints
    TomlValue value;
    bool typed = false;  // on the command line
};
using Settings = std::map<std::string, Setting>;

const OptionRow* row_named(const std::vector<OptionRow>& rows, const std::string& name) {
    const auto at = std::find_if(rows.begin(), rows.end(), [&](const OptionRow& row) { return row.name == name; });
    return at == rows.end() ? nullptr : &*at;
}

void read_config(const std::string& file, const std::vector<OptionRow>& rows, Settings& settings) {
    std::vector<std::string> known;
    for (const OptionRow& row : rows) {
        known.push_back(row.name);
    }
    for (const TomlEntry& entry : read_toml(file)) {
        const OptionRow* row = row_named(rows, entry.key);
        if (row == nullptr) {
            throw UsageError(
                fmt::format("{}: unknown option {}{}", entry.where, entry.key, did_you_mean(entry.key, known)));
        }
        const Setting setting{fmt::format("{}: {}", entry.where, entry.key), entry.value};
        Options ignored;
        set_option(*row, setting.what, setting.value, ignored);  // refused even if the command line wins
        settings[entry.key] = setting;
    }
}

// --ranks and the scenario's first axis say the same; the command line wins here too.
void settle_ranks(const Scenario& scenario, Settings& settings) {
    const auto ranks = settings.find("ranks");
    if (scenario.axes.empty() || scenario.ranks_are_world || ranks == settings.end()) {
        return;
    }
    const auto axis = settings.find(scenario.axes.front().first);
    if (axis != settings.end() && axis->second.typed == ranks->second.typed &&
        axis->second.value != ranks->second.value) {
        throw UsageError(fmt::format("{} {} and {} {} disagree: both are the size of the {} axis", ranks->second.what,
                                     describe(ranks->second.value), axis->second.what, describe(axis->second.value),
                                     axis->first));
    }
    if (axis == settings.end() || ranks->second.typed) {
        settings[scenario.axes.front().first] = ranks->second;
    }
    settings.erase("ranks");
}

// Context parallel in place of expert parallel, unless both are asked for. Of all ranks, the first axis is the rest.
void settle_mesh(const Scenario& scenario, const Settings& settings, Options& options) {
    if (options.mesh.cp > 1 && !settings.contains("ep")) {
        options.mesh.ep = 1;
    }
    if (!scenario.ranks_are_world || !settings.contains("ranks")) {
        return;
    }
    const std::string& first = scenario.axes.front().first;
    const Mesh& mesh = options.mesh;
    try {
        if (!settings.contains(first)) {
            const std::int64_t others = mesh.ranks() / mesh.dp;
            check_divides("ranks", options.ranks, "tp x pp x ep x cp", others);
            options.mesh.dp = static_cast<int>(options.ranks / others);
        }
        sim::Mesh({{"dp", mesh.dp}, {"tp", mesh.tp}, {"pp", mesh.pp}, {"ep", mesh.ep}, {"cp", mesh.cp}})
            .check_world(options.ranks);
    } catch (const ProgramError& error) {
        throw UsageError(error.what());
    }
}

void settle_model(Options& options) {
    if (options.shape.experts == 0 && options.mesh.ep > 1) {
        options.shape.experts = 2 * options.mesh.ep;
    }
    if (options.chunks == 0) {
        const bool several = options.schedule == "interleaved" && options.mesh.pp > 1;
        options.chunks = several ? 2 : 1;
    }
}

// Options of data parallelism that exclude each other.
void check_combinations(const Options& options) {
    const auto refuse = [](const char* a, const char* b, const char* why) {
        throw UsageError(fmt::format("{} and {} exclude each other: {}", a, b, why));
    };
    if (options.zero > 0 && options.synchronize != Algorithm::ring) {
        refuse("--zero", "--synchronize", "ZeRO scatters gradients around a ring");
    }
    if (options.zero > 0 && options.compress != "none") {
        refuse("--zero", "--compress", "ZeRO scatters whole gradients");
    }
    if (options.accumulate > 0 && (options.zero > 0 || options.overlap)) {
        refuse("--accumulate", options.zero > 0 ? "--zero" : "--overlap", "gradients are added up once in a step");
    }
    if (options.weighted && options.works_in_layers()) {
        refuse("--weighted", options.overlap ? "--overlap" : "--zero", "a rank without items would not take part");
    }
}

void check_ranks(const Scenario& scenario, Options& options) {
    if (scenario.axes.empty() && options.ranks != 1) {
        throw UsageError(
            fmt::format("--ranks must be 1, not {}: {} is the run on one rank that others are compared with",
                        options.ranks, scenario.name));
    }
    const std::int64_t ranks = options.mesh.ranks();
    const bool processes = options.host == sim::ranks::Host::process;
    const int most = processes ? most_processes : most_fibers;
    if (ranks > most) {
        throw UsageError(fmt::format("{} ranks are more than the {} that can be {}{}", ranks, most,
                                     processes ? "processes" : "fibers",
                                     processes ? "; --host fiber can have more" : ""));
    }
    options.ranks = static_cast<int>(ranks);
}

}  // namespace

std::variant<Options, Answer> read_options(const Scenario& scenario, int argc, const char* const* argv) {
    const std::vector<OptionRow> rows = option_table(scenario);
    auto read = read_command_line(scenario, rows, argc, argv);
    if (auto* answer = std::get_if<Answer>(&read)) {
        return *answer;
    }
    const CommandLine& line = std::get<CommandLine>(read);
    Settings settings;
    if (line.config) {
        read_config(*line.config, rows, settings);
    }
    for (const auto& [name, text] : line.given) {
        const std::string what = "--" + name;
        const TomlValue value = value_of_text(*row_named(rows, name), text);
        Options ignored;
        set_option(*row_named(rows, name), what, value, ignored);
        settings[name] = {what, value, true};
    }
    settle_ranks(scenario, settings);
    Options options;
    options.item_by_item = scenario.item_by_item;
    for (const auto& [axis, size] : scenario.axes) {
        set_option(*row_named(rows, axis), "--" + axis, std::int64_t{size}, options);
    }
    for (const auto& [name, setting] : settings) {
        set_option(*row_named(rows, name), setting.what, setting.value, options);
    }
    settle_mesh(scenario, settings, options);
    check_ranks(scenario, options);
    settle_model(options);
    check_combinations(options);
    return options;
}

}  // namespace sim::scenarios
