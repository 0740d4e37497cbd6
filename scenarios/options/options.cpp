#include "scenarios/options/options.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "libsim/parallel/divide.hpp"
#include "libsim/parallel/mesh.hpp"
#include "ranks/recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>

namespace sim::scenarios {

using namespace command_line;
using namespace config;
using namespace lesson;

namespace {

// --ranks and the scenario's first axis mean the same; here too the command line wins.
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

// With --scaling, the size of the first axis must not be set separately.
void settle_scaling(const Scenario& scenario, std::optional<std::int64_t> size, Settings& settings) {
    if (!settings.contains("scaling")) {
        return;
    }
    const std::string& first = scenario.axes.front().first;
    if (size) {
        settings.erase("ranks");
        settings.erase("scaling");
        settings[first] = {"--scaling", *size, true};
        return;
    }
    for (const std::string name : {"ranks", first.c_str(), "trace", "report", "goal", "chakra", "show-schedule",
                                   "fault", "on-fault", "checkpoint-every"}) {
        if (settings.contains(name)) {
            throw UsageError(fmt::format(
                "{} and {} exclude each other: {}", settings["scaling"].what, settings[name].what,
                name == first || name == "ranks" ? "both say how many ranks there are" : "there is more than one run"));
        }
    }
}

// Context parallelism replaces expert parallelism, unless both are requested. The first axis gets the remaining ranks.
void settle_mesh(const Scenario& scenario, const Settings& settings, Options& options) {
    if (options.mesh.cp > 1 && !settings.contains("ep")) {
        options.mesh.ep = 1;
    }
    if (!scenario.ranks_are_world || !settings.contains("ranks")) {
        return;
    }
    const std::string& first = scenario.axes.front().first;
    const MeshSizes& mesh = options.mesh;
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

void settle_model(const Settings& settings, Options& options) {
    if (options.shape.experts == 0 && options.mesh.ep > 1) {
        options.shape.experts = 2 * options.mesh.ep;
    }
    if (options.buckets == 0) {
        options.buckets = options.overlap ? options.shape.layers : 1;
    }
    if (options.chunks == 0) {
        const bool several = options.schedule->uses_chunks && options.mesh.pp > 1;
        options.chunks = several ? 2 : 1;
    }
    if (!settings.contains("layers") && options.chunks > 1) {
        options.shape.layers = std::max(options.shape.layers, options.mesh.pp * options.chunks);
    }
}

// Options of an axis that this scenario lacks, and the scenario that has it.
std::map<std::string, std::string> options_of_others(const Scenario& scenario) {
    std::map<std::string, std::string> found;
    const auto add = [&](const char* axis, const char* name, std::initializer_list<const char*> options) {
        for (const char* option : options) {
            if (!scenario.has_axis(axis)) {
                found.emplace(option, name);
            }
        }
    };
    add("dp", "1d_data_parallel", {"dp", "zero", "overlap", "buckets", "synchronize", "compress", "compress-fraction"});
    if (!scenario.item_by_item) {
        found.insert({{"accumulate", "1d_data_parallel"},
                      {"local-steps", "1d_data_parallel"},
                      {"weighted", "1d_data_parallel"}});
    }
    add("tp", "2d_tensor_parallel", {"tp", "sequence-parallel"});
    add("pp", "3d_pipeline_parallel", {"pp", "chunks", "blocking-sends", "show-schedule"});
    add("ep", "4d_hybrid", {"ep"});
    add("cp", "4d_hybrid", {"cp"});
    return found;
}

// Data-parallel options that exclude each other.
void check_combinations(const Options& options) {
    const auto refuse = [](const char* a, const char* b, const char* why) {
        throw UsageError(fmt::format("{} and {} exclude each other: {}", a, b, why));
    };
    if (options.show_schedule && !shows_text(options.outputs)) {
        refuse("--show-schedule", "--json", "a schedule is shown as a picture");
    }
    if (options.zero > 0 && options.synchronize != Algorithm::ring) {
        refuse("--zero", "--synchronize", "ZeRO scatters gradients around a ring");
    }
    if (options.zero > 0 && options.compress != "none") {
        refuse("--zero", "--compress", "ZeRO scatters whole gradients");
    }
    if (options.compress == "top-k" && options.synchronize != Algorithm::ring) {
        refuse("--compress top-k", "--synchronize", "each rank's largest numbers are gathered, around a ring");
    }
    if (options.accumulate > 0 && (options.zero > 0 || options.overlap)) {
        refuse("--accumulate", options.zero > 0 ? "--zero" : "--overlap", "gradients are added up once in a step");
    }
    if (options.local_steps > 0) {
        const char* const other = options.works_in_layers()    ? options.overlap ? "--overlap" : "--zero"
                                  : options.accumulate > 0     ? "--accumulate"
                                  : options.buckets > 1        ? "--buckets"
                                  : options.compress != "none" ? "--compress"
                                                               : nullptr;
        if (other != nullptr) {
            refuse("--local-steps", other, "ranks exchange models, and no gradients");
        }
        if (ranks::row_of(options.recovery.on_fault).shrinks) {
            refuse("--local-steps", "--on-fault elastic", "the models that ranks trained alone are not divided anew");
        }
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
    check_host(options.host, ranks);
    options.ranks = static_cast<int>(ranks);
}

}  // namespace

std::variant<Options, Answer> read_options(const Scenario& scenario, int argc, const char* const* argv,
                                           std::optional<std::int64_t> first_axis) {
    Options options;
    const std::vector<OptionRow> rows = option_table(scenario, options);
    auto read = read_settings({scenario.name, scenario.summary, scenario.examples, options_of_others(scenario)}, rows,
                              argc, argv);
    if (auto* answer = std::get_if<Answer>(&read)) {
        return *answer;
    }
    Settings settings = std::get<Settings>(read);
    settle_scaling(scenario, first_axis, settings);
    settle_ranks(scenario, settings);
    options.item_by_item = scenario.item_by_item;
    for (const auto& [axis, size] : scenario.axes) {
        set_option(row_named(rows, axis), "--" + axis, std::int64_t{size});
    }
    set_options(settings, rows);
    options.given = given_of(settings, rows);
    settle_mesh(scenario, settings, options);
    check_ranks(scenario, options);
    settle_model(settings, options);
    check_combinations(options);
    settle_recovery(settings, options);
    return options;
}

}  // namespace sim::scenarios
