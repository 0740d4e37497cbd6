#include "tools/ndsim/explain/options.hpp"

#include "libsim/predict/machine_file.hpp"
#include "tools/ndsim/explain/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sim::tools {

using namespace config;

namespace {

constexpr const char* usual_model = "llama3-8b";

struct HardwareChoice {
    const char* name;
    const char* machine;
    int gpus;   // number of GPUs of `machine`, by default
    int nodes;  // number of nodes of another machine, by default
    const char* summary;
};
// In the order of HardwareKind.
constexpr std::array hardware_choices{
    HardwareChoice{"cpu", "xeon-8480c-2s", 2, 1, "a server without accelerators: its sockets count as GPUs here"},
    HardwareChoice{"gpu", "dgx-h100", 8, 1, "one node of GPUs"},
    HardwareChoice{"tpu", "tpu-v5p-pod", 8, 1, "TPU chips on one network: they count as GPUs here"},
    HardwareChoice{"cluster", "dgx-h100", 32, 4, "several nodes of GPUs"},
};

constexpr std::array goal_names{"time", "memory", "cost"};
constexpr std::array level_names{"field", "beginner"};

template <class Names>
std::vector<std::string> listed(const Names& names) {
    return {names.begin(), names.end()};
}

std::vector<std::string> hardware_names() {
    std::vector<std::string> names;
    for (const HardwareChoice& choice : hardware_choices) {
        names.emplace_back(choice.name);
    }
    return names;
}

// Like enumerator(), but also records that the option was given.
template <class Enum>
Choice noted(Enum& field, bool& given, const std::vector<std::string>& names) {
    return {names, [&field, &given](std::size_t i) {
                field = static_cast<Enum>(i);
                given = true;
            }};
}

void complete_machine(ExplainOptions& options, std::vector<std::string>& notes) {
    const HardwareChoice& choice = hardware_choices.at(static_cast<std::size_t>(options.hardware));
    const predict::TrainingOptions& training = options.train.training;
    const bool has_machine = training.has("machine");
    if (!has_machine && options.hardware_given) {
        take_option(options, "machine", choice.machine);
        notes.push_back(fmt::format("machine {}: --hardware {}, {}; --machine chooses another", choice.machine,
                                    choice.name, choice.summary));
    }
    const bool is_asked_for = options.hardware_given || options.strategy_given || options.which;
    if (training.has("gpus") || (!options.which && training.has("dp")) ||
        (!layout_options_of(training).empty() && !is_asked_for)) {
        return;
    }
    const int gpus = has_machine ? choice.nodes * predict::read_machine(training.machine).gpus_per_node : choice.gpus;
    take_option(options, "gpus", std::to_string(gpus));
    notes.push_back(fmt::format("{} GPUs: {}; --gpus sets another number", gpus,
                                has_machine ? fmt::format("{} of {}", predict::read_machine(training.machine).name,
                                                          choice.nodes == 1 ? "one node" : "four nodes")
                                            : choice.summary));
}

}  // namespace

const char* name_of(HardwareKind kind) {
    return hardware_choices.at(static_cast<std::size_t>(kind)).name;
}

const char* name_of(Goal goal) {
    return goal_names.at(static_cast<std::size_t>(goal));
}

OptionRow level_row(explain::Level& level) {
    return keeping_result({"level", "NAME",
                           "level of detail: field, or beginner, which introduces every term before its use (field)",
                           enumerator(level, listed(level_names))});
}

std::vector<OptionRow> explain_rows(ExplainOptions& options) {
    std::vector<OptionRow> rows = in_group(
        "Explanation",
        {{"strategy", "NAME",
          "strategy that finds the layout: auto, data, model, pipeline or hybrid (auto, unless --dp, --tp … are given)",
          noted(options.strategy, options.strategy_given, strategy_names())},
         {"hardware", "NAME", "kind of machine, if there is no --machine: cpu, gpu, tpu or cluster (gpu)",
          noted(options.hardware, options.hardware_given, hardware_names())},
         {"which", "", "recommend a parallelism and compare the alternatives; asks for missing options on a terminal",
          flag(options.which)},
         {"goal", "NAME", "goal of --which: least time, memory or cost (time)",
          noted(options.goal, options.goal_given, listed(goal_names))},
         level_row(options.level)});
    const std::vector<OptionRow> of_settings =
        in_group("Input and checkpoints", explain::setting_rows(options.settings));
    rows.insert(rows.end(), of_settings.begin(), of_settings.end());
    const std::vector<OptionRow> of_train = train_rows(options.train);
    rows.insert(rows.end(), of_train.begin(), of_train.end());
    return rows;
}

void take_option(ExplainOptions& options, const std::string& name, const std::string& value) {
    const std::vector<OptionRow> rows = train_rows(options.train);
    const OptionRow& row = row_named(rows, name);
    const TomlValue taken = value_of_text(row, value);
    set_option(row, "--" + name, taken);
    options.given.insert_or_assign(row.name, taken);
}

ExplainOptions completed(ExplainOptions options, std::vector<std::string>& notes) {
    predict::TrainingOptions& training = options.train.training;
    if (!training.has("model")) {
        take_option(options, "model", usual_model);
        notes.push_back(fmt::format("model {}: none was given; --model chooses another", usual_model));
    }
    complete_machine(options, notes);
    if (!options.strategy_given) {
        options.strategy = !layout_options_of(training).empty() ? Strategy::given : Strategy::automatic;
    }
    if (options.which || options.strategy != Strategy::given) {
        for (const std::string& name : layout_options_of(training)) {
            notes.push_back(
                fmt::format("{} {}: given, so every layout has it", name, typed_text(options.given.at(name))));
        }
    }
    return options;
}

}  // namespace sim::tools
