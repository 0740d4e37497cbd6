#include "tools/ndsim/train.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/injection_text.hpp"
#include "libsim/config/shell_command.hpp"
#include "libsim/explain/explained_step.hpp"
#include "tools/ndsim/commands.hpp"

#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace exit_code;
using namespace config;
using namespace predict;
using namespace explain;

std::vector<OptionRow> train_rows(StepOptions& options) {
    std::vector<OptionRow> rows = training_rows(options.training);
    const std::vector<OptionRow> run = in_group(
        GroupName::run,
        {{"tokens", "X", "length of the whole run in tokens: 15T or 15e12", suffixed(real(options.tokens, 1, 1e18))},
         {"steps", "X", "length of the whole run in steps, instead of --tokens", real(options.steps, 1, 1e12)},
         {"unfold", "", "simulate every rank, not one for each stage", flag(options.unfold)},
         fault_row(options.faults)});
    rows.insert(rows.end(), run.begin(), run.end());
    return rows;
}

std::string train_line(Given given, const Change& change) {
    StepOptions options;
    const std::vector<OptionRow> rows = train_rows(options);
    for (const auto& [name, value] : change) {
        const OptionRow& row = row_named(rows, name);
        given.insert_or_assign(row.name, value_of_text(row, value));
    }
    return config::shell_command("ndsim train", rows, given);
}

namespace {

struct TrainCommand : StepOptions {
    bool hash = false;
};

std::vector<OptionRow> option_rows(TrainCommand& options) {
    std::vector<OptionRow> rows = train_rows(options);
    rows.push_back(keeping_result(
        {.name = "hash", .help = "print the timeline's hash", .kind = flag(options.hash), .group = GroupName::output}));
    return rows;
}

// Other simulators have no ranks that stand for many.
void require_every_rank(const StepOptions& options) {
    if (!options.every_rank()) {
        throw UsageError("--goal and --chakra write the operations of every rank; add --unfold");
    }
}

ExplainedStep explained(const StepReport& report, Level level) {
    return {.report = &report,
            .command = [&](const Change& change) { return train_line(report.given, change); },
            .level = level};
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
    StepReport report = predicted_step(options, watch);
    complete(report, timeline.spans);
    report.given = asked.given;
    if (asked.listener.timeline) {
        report::Timeline drawn = timeline_of(report, timeline.spans);
        drawn.verdict = json_of(verdict_of(explained(report, Level::field)));
        asked.listener.timeline(drawn);
    }
    const training::Memory& memory = report.step.memory;
    Answer answer;
    if (!memory.fits()) {
        answer.complaint = misfit_line(memory, report.advice);
        answer.exit_code = failed;
    }
    const auto kept = std::make_shared<const StepReport>(std::move(report));
    answer.forms = {.text = [kept] { return text_of(explanation_of(explained(*kept, Level::brief))); },
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
