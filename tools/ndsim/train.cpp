// ndsim train: one training step of a model on a machine in a layout, predicted and explained.
#include "libsim/config/errors.hpp"
#include "libsim/explain/train/sections.hpp"
#include "libsim/explain/train/step_report.hpp"
#include "tools/answers/train_report.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/explain/explained_step.hpp"
#include "tools/ndsim/commands.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::tools {

using namespace command_line;
using namespace config;
using namespace predict;
using namespace explain;
using namespace report;

namespace {

const Executable train_executable{
    .name = "ndsim train",
    .summary =
        "How long a training step takes, whether it fits into memory, where the time goes, what it costs and what "
        "would change it: a model on a machine in a layout, simulated. Ends with exit code 1 where it does not fit, "
        "after the whole report.",
    .examples = {"ndsim train --model llama3-8b --gpus 64 --tp 2",
                 "ndsim train --model gpt3-175b --machine dgx-a100 --gpus 1024 --tp 8 --pp 16 --global-batch 1536",
                 "ndsim train --model llama3-70b --gpus 256 --tp 8 --pp 4 --tokens 15e12 --usd-per-hour 2.5",
                 "ndsim train --model config.json --machine h100.toml --gpus 32 --trace step.json   # for Perfetto"},
};

struct TrainCommand {
    TrainOptions options;
    bool hash = false;
    Outputs outputs;
};

std::vector<OptionRow> option_rows(TrainCommand& command) {
    std::vector<OptionRow> rows = train_rows(command.options);
    rows.push_back(keeping_result({"hash", "", "print the timeline's hash", flag(command.hash)}));
    const std::vector<OptionRow> outputs =
        output_rows(command.outputs,
                    {.table = "where the time of a step goes",
                     .plot = "where the time of a step goes and what the fullest rank's memory holds, as bars",
                     .timeline = "the step's timeline, for ui.perfetto.dev",
                     .program = "with --unfold: the step as a GOAL schedule, for ndsim goal and other simulators"});
    rows.insert(rows.end(), outputs.begin(), outputs.end());
    return rows;
}

// Others' simulators know no rank that stands for many.
void require_every_rank(const TrainOptions& options) {
    if (!options.every_rank()) {
        throw UsageError("--goal and --chakra write down what every rank does; add --unfold");
    }
}

}  // namespace

int run_train(int argc, const char* const* argv) {
    TrainCommand command;
    const std::vector<OptionRow> rows = option_rows(command);
    const auto settings = take_options(train_executable, rows, argc, argv);
    if (!settings) {
        return done;
    }
    const TrainOptions& options = command.options;
    check_outputs(command.outputs);
    Timeline timeline;
    StepWatch watch{.hash = command.hash || command.outputs.contains("json")};
    // Of all ranks' spans only a trace is made: they would fill the memory.
    if (!options.every_rank() || wants_timeline(command.outputs)) {
        watch.on_span = [&](const Span& span) { timeline.add(span); };
    }
    if (wants_program(command.outputs)) {
        require_every_rank(options);
        watch.on_program = [&](const replay::Recording& program, const Cluster& cluster) {
            write_program(command.outputs, {.title = "step", .ops = &program, .cluster = &cluster});
        };
    }
    const TrainStep step = train_step(options, watch);
    StepReport report = train_report(options, step, timeline.spans);
    report.given = given_of(*settings, rows);
    if (wants_timeline(command.outputs)) {
        Timeline drawn = timeline_of(step, timeline.spans);
        drawn.verdict = verdict_of(options, report);
        write_timeline(command.outputs, drawn);
    }
    write_outputs(command.outputs, {.text = [&] { return text_of(report); },
                                    .json = [&] { return json_of(report); },
                                    .table = [&] { return parts_of(report.step); },
                                    .plot = [&] { return step_svg(report); }});
    const training::Memory& memory = report.step.memory;
    return memory.fits() ? done : complain(train_executable.name, misfit_line(memory, report.advice), failed);
}

}  // namespace sim::tools
