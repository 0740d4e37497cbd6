// ndsim train: one training step of a model on a machine in a layout, predicted and explained.
#include "libsim/config/errors.hpp"
#include "libsim/planning/report/sections.hpp"
#include "libsim/planning/report/step_report.hpp"
#include "libsim/report/timeline.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/ndsim/commands.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::tools {

using namespace command_line;
using namespace config;
using namespace planning;
using namespace report;

namespace {

const command_line::Executable train_command{
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

struct TrainOptions {
    planning::TrainingOptions training;
    double tokens = 0;  // 0: not said
    double steps = 0;
    bool unfold = false;
    bool hash = false;
    command_line::Outputs outputs;
};

std::vector<config::OptionRow> option_rows(TrainOptions& options) {
    std::vector<config::OptionRow> rows = planning::training_rows(options.training);
    rows.insert(rows.end(),
                {{"tokens", "X", "of a whole run: 15e12", config::real(options.tokens, 1, 1e18)},
                 {"steps", "X", "of a whole run, in place of --tokens", config::real(options.steps, 1, 1e12)},
                 {"unfold", "", "simulate every rank, not one of each stage", config::flag(options.unfold)},
                 {"hash", "", "print the timeline's hash", config::flag(options.hash)}});
    const std::vector<config::OptionRow> outputs = command_line::output_rows(
        options.outputs,
        {.table = "where the time of a step goes", .timeline = "the step's timeline, for ui.perfetto.dev"});
    rows.insert(rows.end(), outputs.begin(), outputs.end());
    return rows;
}

planning::StepReport report_of(const TrainOptions& options, Timeline& timeline) {
    planning::StepReport report{.what = planning::training_case(options.training), .unfolded = options.unfold};
    const planning::TrainingCase& what = report.what;
    planning::PredictOptions ask{.unfold = options.unfold,
                                 .hash_timeline = options.hash || options.outputs.contains("json"),
                                 .jitter = options.training.jitter,
                                 .seed = static_cast<std::uint64_t>(options.training.seed)};
    // Of all ranks' spans only a trace is made: they would fill the memory.
    if (!options.unfold || command_line::wants_timeline(options.outputs)) {
        ask.on_span = [&](const Span& span) { timeline.add(span); };
    }
    report.step = planning::predict(what.model, what.machine, what.layout, ask);
    report.path = planning::critical_path(timeline.spans);
    report.per_step = cost_of(report.step, what.machine, what.layout, 1);
    report.per_trillion_tokens = planning::cost_of_tokens(report.step, what, 1e12);
    if (options.steps > 0) {
        report.run = cost_of(report.step, what.machine, what.layout, options.steps);
    } else if (options.tokens > 0) {
        report.run = planning::cost_of_tokens(report.step, what, options.tokens);
    }
    // Both compare with what predict_step() gives: without jitter, folded.
    const double plain = seconds(planning::predict_step(what.model, what.machine, what.layout).step);
    report.sensitivities = planning::sensitivities(what, plain, predict_step);
    report.advice = planning::advice(options.training, what, plain, predict_step);
    return report;
}

// The average over all ranks.
report::Table parts_of(const planning::Prediction& step) {
    report::Table table{.columns = {{"part", report::Cells::words}, {"seconds"}, {"share"}}, .rows = {}};
    for (std::size_t i = 0; i < step.budget.size(); ++i) {
        const double share = step.budget[i] / seconds(step.step);
        table.rows.push_back({planning::title_of(static_cast<training::TimeCategory>(i)),
                              fmt::format("{:.12g}", step.budget[i]), fmt::format("{:.6g}", share)});
    }
    return table;
}

}  // namespace

int run_train(int argc, const char* const* argv) {
    TrainOptions options;
    if (!command_line::take_options(train_command, option_rows(options), argc, argv)) {
        return done;
    }
    if (options.steps > 0 && options.tokens > 0) {
        throw config::UsageError("--steps and --tokens both say how long a run is; give one of them");
    }
    command_line::check_outputs(options.outputs);
    Timeline timeline{.title = train_command.name};
    const planning::StepReport report = report_of(options, timeline);
    command_line::write_outputs(options.outputs, {.text = [&] { return text_of(report); },
                                                  .json = [&] { return planning::json_of(report); },
                                                  .table = [&] { return parts_of(report.step); }});
    timeline.ranks = report.step.simulated_ranks;
    for (const Span& span : timeline.spans) {
        timeline.end = std::max(timeline.end, span.end);
    }
    command_line::write_timeline(options.outputs, timeline);
    const training::Memory& memory = report.step.memory;
    return memory.fits()
               ? done
               : command_line::complain(train_command.name, planning::misfit_line(memory, report.advice), failed);
}

}  // namespace sim::tools
