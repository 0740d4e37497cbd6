// The options of `ndsim explain`, and their completion.
#pragma once

#include "libsim/config/given.hpp"
#include "libsim/config/option_row.hpp"
#include "libsim/explain/explanation.hpp"
#include "libsim/explain/input_section.hpp"
#include "tools/ndsim/train.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sim::tools {

// The layouts to consider, in the order of the table in strategy.cpp.
enum class Strategy : std::uint8_t { automatic, data, model, pipeline, hybrid, given };
enum class HardwareKind : std::uint8_t { cpu, gpu, tpu, cluster };
enum class Goal : std::uint8_t { time, memory, cost };

const char* name_of(Strategy strategy);  // "auto"
const char* name_of(HardwareKind kind);
const char* name_of(Goal goal);

struct ExplainOptions {
    explain::StepOptions train;
    config::Given given;  // the options of `train`, as typed
    Strategy strategy = Strategy::given;
    HardwareKind hardware = HardwareKind::gpu;
    Goal goal = Goal::time;
    bool which = false;
    explain::Level level = explain::Level::field;
    bool strategy_given = false;
    bool hardware_given = false;
    bool goal_given = false;
    explain::ExplainSettings settings;
};

config::OptionRow level_row(explain::Level& level);
// The rows of all options that change the result. They set `options`.
std::vector<config::OptionRow> explain_rows(ExplainOptions& options);

// Fills in the model, machine, number of GPUs and strategy that were not given, and adds a line to `notes` for each.
ExplainOptions completed(ExplainOptions options, std::vector<std::string>& notes);

// Sets an option of ndsim train as if it had been typed.
void take_option(ExplainOptions& options, const std::string& name, const std::string& value);

}  // namespace sim::tools
