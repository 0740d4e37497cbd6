#include "tools/ndsim/train.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/injection_text.hpp"
#include "libsim/explain/train/sections.hpp"
#include "libsim/predict/step_timeline.hpp"
#include "libsim/training/machine_cluster.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/explain/step.hpp"

#include <fmt/format.h>

#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace exit_code;
using namespace config;
using namespace predict;
using namespace explain;

std::vector<OptionRow> train_rows(TrainOptions& options) {
    std::vector<OptionRow> rows = training_rows(options.training);
    rows.insert(
        rows.end(),
        {{"tokens", "X", "length of the whole run in tokens: 15T or 15e12", suffixed(real(options.tokens, 1, 1e18))},
         {"steps", "X", "length of the whole run in steps, instead of --tokens", real(options.steps, 1, 1e12)},
         {"unfold", "", "simulate every rank, not one for each stage", flag(options.unfold)},
         fault_row(options.faults)});
    return rows;
}

TrainStep train_step(const TrainOptions& options, const StepWatch& watch) {
    if (options.steps > 0 && options.tokens > 0) {
        throw UsageError("--steps and --tokens both set the length of a run; give one of them");
    }
    TrainStep made{.what = training_case(options.training),
                   .step = {},
                   .unfolded = options.every_rank(),
                   .faults = options.faults};
    check_faults(options.faults, made.what.gpus(), training::machine_cluster(made.what.machine).network);
    made.step = predict_step(made.what.model, made.what.machine, made.what.layout,
                             {.unfold = options.every_rank(),
                              .hash_timeline = watch.hash,
                              .jitter = options.training.jitter,
                              .seed = static_cast<std::uint64_t>(options.training.seed),
                              .faults = options.faults,
                              .on_span = watch.on_span,
                              .on_program = watch.on_program});
    return made;
}

report::Timeline timeline_of(const TrainStep& step, const std::vector<Span>& spans) {
    report::Timeline timeline = step_timeline(step.what, spans, step.unfolded);
    const std::string title = explain::title_of(step.what);
    timeline.title = title.substr(0, title.find('\n'));
    timeline.facts = {{"step", fmt::format("{:.6g} s", seconds(step.step.step))},
                      {"MFU", fmt::format("{:.1f} %", 100 * step.step.mfu)}};
    if (!step.faults.empty()) {
        timeline.facts.push_back({"faults", to_text(step.faults)});
    }
    return timeline;
}

StepReport train_report(const TrainOptions& options, const TrainStep& step, const std::vector<Span>& spans) {
    StepReport report{.what = step.what, .step = step.step, .unfolded = step.unfolded, .faults = step.faults};
    const TrainingCase& what = report.what;
    report.path = critical_path(spans);
    report.per_step = cost_of(report.step, what.machine, what.layout, 1);
    report.per_trillion_tokens = cost_of_tokens(report.step, what, 1e12);
    if (options.steps > 0) {
        report.run = cost_of(report.step, what.machine, what.layout, options.steps);
    } else if (options.tokens > 0) {
        report.run = cost_of_tokens(report.step, what, options.tokens);
    }
    // Sensitivities and advice compare with predict_time(), which folds ranks and has no jitter.
    report.undisturbed = predict_time(what.model, what.machine, what.layout).step;
    const double plain = seconds(report.undisturbed);
    report.sensitivities = sensitivities(what, plain, predict_time);
    report.advice = advice(options.training, what, plain, predict_time);
    return report;
}

namespace {

struct TrainCommand : TrainOptions {
    bool hash = false;
};

std::vector<OptionRow> option_rows(TrainCommand& options) {
    std::vector<OptionRow> rows = train_rows(options);
    rows.push_back(keeping_result({"hash", "", "print the timeline's hash", flag(options.hash)}));
    return rows;
}

// Other simulators have no ranks that stand for many.
void require_every_rank(const TrainOptions& options) {
    if (!options.every_rank()) {
        throw UsageError("--goal and --chakra write the operations of every rank; add --unfold");
    }
}

Answer train_answer(const TrainCommand& options, const Asked& asked) {
    report::Timeline timeline;
    StepWatch watch{.hash = options.hash || asked.wants("json")};
    // The spans of every rank would fill the memory, so they are kept only for a trace.
    if (!options.every_rank() || asked.listener.timeline) {
        watch.on_span = [&](const Span& span) { timeline.add(span); };
    }
    if (asked.listener.program) {
        require_every_rank(options);
        watch.on_program = [&](const replay::Recording& program, const Cluster& cluster) {
            asked.listener.program({.title = "step", .ops = &program, .cluster = &cluster});
        };
    }
    const TrainStep step = train_step(options, watch);
    StepReport report = train_report(options, step, timeline.spans);
    report.given = asked.given;
    if (asked.listener.timeline) {
        report::Timeline drawn = timeline_of(step, timeline.spans);
        drawn.verdict = verdict_of(options, report);
        asked.listener.timeline(drawn);
    }
    const training::Memory& memory = report.step.memory;
    Answer answer;
    if (!memory.fits()) {
        answer.complaint = misfit_line(memory, report.advice);
        answer.exit_code = failed;
    }
    const auto kept = std::make_shared<const StepReport>(std::move(report));
    answer.forms = {.text = [kept] { return text_of(*kept); },
                    .json = [kept] { return json_of(*kept); },
                    .table = [kept] { return parts_of(kept->step); },
                    .plot = [kept] { return step_svg(*kept); }};
    return answer;
}

Question train_question() {
    const auto options = std::make_shared<TrainCommand>();
    return {
        .rows = option_rows(*options),
        .offer = {.table = "write where the time of a step goes as CSV",
                  .plot = "plot where the time of a step goes and what the fullest rank's memory holds, as bars",
                  .timeline = "write the step's timeline, for ui.perfetto.dev",
                  .program = "with --unfold: write the step as a GOAL schedule, for ndsim goal and other simulators"},
        .answer = [options](const Asked& asked) { return train_answer(*options, asked); }};
}

}  // namespace

const Command train_command{
    .name = "train",
    .headline = "predict a training step (a model on a machine in a layout): time, memory, cost, and why",
    .summary =
        "Simulates a training step of a model on a machine in a layout: how long it takes, whether it fits into "
        "memory, where the time goes, what it costs and what would change it. Ends with exit code 1, after the whole "
        "report, if it does not fit.",
    .examples = {"ndsim train --model llama3-8b --gpus 64 --tp 2",
                 "ndsim train --model gpt3-175b --machine dgx-a100 --gpus 1024 --tp 8 --pp 16 --global-batch 1536",
                 "ndsim train --model llama3-70b --gpus 256 --tp 8 --pp 4 --tokens 15e12 --usd-per-hour 2.5",
                 "ndsim train --model config.json --machine h100.toml --gpus 32 --trace step.json   # for Perfetto"},
    .schemas = {train_schema, train_columns},
    .question = train_question};

}  // namespace sim::tools
