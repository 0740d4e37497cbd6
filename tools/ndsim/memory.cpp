// `ndsim memory` reports what a GPU's memory holds in a training step, and whether it fits.
#include "libsim/config/errors.hpp"
#include "libsim/explain/explained_step.hpp"
#include "libsim/explain/memory/report.hpp"
#include "libsim/predict/training_options.hpp"
#include "tools/ndsim/commands.hpp"

#include <fmt/format.h>

#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace exit_code;
using namespace config;
using namespace predict;
using namespace explain;

namespace {

struct MemoryOptions {
    TrainingOptions training;
    int stage = -1;  // -1: the fullest
};

std::vector<OptionRow> option_rows(MemoryOptions& options) {
    std::vector<OptionRow> rows = training_rows(options.training);
    rows.push_back({.name = "stage",
                    .takes = "N",
                    .help = "pipeline stage to show over time (the fullest)",
                    .kind = whole(options.stage, 0, 1'000'000),
                    .group = GroupName::output});
    return rows;
}

MemoryReport memory_report(const MemoryOptions& options) {
    MemoryReport report{.what = training_case(options.training)};
    const TrainingCase& what = report.what;
    if (options.stage >= what.layout.parallelism.pp) {
        throw UsageError(
            fmt::format("--stage must be one of 0 to {}, not {}", what.layout.parallelism.pp - 1, options.stage));
    }
    report.memory = training::memory_of(what.model, what.machine, what.layout);
    report.stage = options.stage >= 0 ? options.stage : report.memory.fullest().stage;
    report.steps = training::memory_over_time(what.model, what.machine, what.layout, report.stage);
    return report;
}

Answer memory_answer(const MemoryOptions& options) {
    const auto report = std::make_shared<const MemoryReport>(memory_report(options));
    Answer answer{.forms = {.text = [report] { return text_of(*report); },
                            .json = [report] { return json_of(*report); },
                            .table = [report] { return memory_over_stages(report->what); },
                            .picture = [report] { return memory_svg(*report); }}};
    if (!report->memory.fits()) {
        answer.complaint = misfit_line(report->memory, {});
        answer.exit_code = failed;
    }
    return answer;
}

Question memory_question() {
    const auto options = std::make_shared<MemoryOptions>();
    return {.rows = option_rows(*options),
            .offer = {.table = "write every stage over time as CSV",
                      .picture = "draw the parts of each stage's memory, and one stage over time; also --plot"},
            .answer = [options](const Asked&) { return memory_answer(*options); }};
}

}  // namespace

const Command memory_command{
    .name = "memory",
    .headline = "show what a GPU's memory holds in a training step, over time, and whether it fits",
    .summary =
        "Shows what a GPU's memory holds in a training step: parameters, gradients, optimizer states, activations, by "
        "pipeline stage and over time. Ends with exit code 1, after the whole report, if it does not fit.",
    .examples = {"ndsim memory --model gpt3-175b --machine dgx-a100 --gpus 1024 --tp 8 --pp 16",
                 "ndsim memory --model llama3-8b --gpus 8 --zero 3 --recompute full",
                 "ndsim memory --model llama3-70b --gpus 64 --tp 8 --pp 4 --csv memory.csv   # every stage over time",
                 "ndsim memory --model llama3-70b --gpus 64 --tp 8 --pp 4 --plot memory.svg  # the same as a picture"},
    .schemas = {memory_schema, memory_columns},
    .question = memory_question};

}  // namespace sim::tools
