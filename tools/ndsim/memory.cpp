// ndsim memory: what a GPU's memory holds in a training step, and whether that fits.
#include "libsim/config/errors.hpp"
#include "libsim/planning/report/memory_report.hpp"
#include "libsim/planning/report/sections.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/ndsim/commands.hpp"

#include <fmt/format.h>

namespace sim::tools {

using namespace command_line;
using namespace config;
using namespace planning;

namespace {

const command_line::Executable memory_command{
    .name = "ndsim memory",
    .summary =
        "What a GPU's memory holds in a training step: parameters, gradients, optimizer states, activations, by "
        "pipeline stage and over time. Ends with exit code 1 where it does not fit, after the whole report.",
    .examples = {"ndsim memory --model gpt3-175b --machine dgx-a100 --gpus 1024 --tp 8 --pp 16",
                 "ndsim memory --model llama3-8b --gpus 8 --zero 3 --recompute full",
                 "ndsim memory --model llama3-70b --gpus 64 --tp 8 --pp 4 --csv memory.csv   # every stage over time"},
};

struct MemoryOptions {
    planning::TrainingOptions training;
    int stage = -1;  // the fullest
    command_line::Outputs outputs;
};

std::vector<config::OptionRow> option_rows(MemoryOptions& options) {
    std::vector<config::OptionRow> rows = planning::training_rows(options.training);
    rows.push_back({"stage", "N", "shown over time (the fullest)", whole(options.stage, 0, 1'000'000)});
    const std::vector<config::OptionRow> outputs =
        command_line::output_rows(options.outputs, {.table = "every stage over time"});
    rows.insert(rows.end(), outputs.begin(), outputs.end());
    return rows;
}

}  // namespace

int run_memory(int argc, const char* const* argv) {
    MemoryOptions options;
    if (!command_line::take_options(memory_command, option_rows(options), argc, argv)) {
        return done;
    }
    command_line::check_outputs(options.outputs);
    planning::MemoryReport report{.what = planning::training_case(options.training)};
    const planning::TrainingCase& what = report.what;
    if (options.stage >= what.layout.parallelism.pp) {
        throw config::UsageError(
            fmt::format("--stage must be one of 0 to {}, not {}", what.layout.parallelism.pp - 1, options.stage));
    }
    report.memory = training::memory_of(what.model, what.machine, what.layout);
    report.stage = options.stage >= 0 ? options.stage : report.memory.fullest().stage;
    report.steps = training::memory_over_time(what.model, what.machine, what.layout, report.stage);
    command_line::write_outputs(options.outputs, {.text = [&] { return text_of(report); },
                                                  .json = [&] { return planning::json_of(report); },
                                                  .table = [&] { return planning::memory_over_stages(what); }});
    return report.memory.fits()
               ? done
               : command_line::complain(memory_command.name, planning::misfit_line(report.memory, {}), failed);
}

}  // namespace sim::tools
