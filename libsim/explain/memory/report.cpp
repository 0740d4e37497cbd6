#include "libsim/explain/memory/report.hpp"

#include "libsim/explain/explained_step.hpp"
#include "libsim/predict/records.hpp"

#include <fmt/format.h>

namespace sim::explain {

using namespace predict;
using namespace report;
using namespace report::keys;

namespace {

constexpr std::size_t chart_width = 72;

const Record<training::MemoryAt>& moment_record() {
    using At = training::MemoryAt;
    static const Record<At> record(
        "Peak memory of a rank of the stage in this step, in bytes.",
        joined<At>({{free_text<At>("step", "Step of the schedule, such as forward of micro-batch 3.", &At::step)},
                    fields_of<At>(memory_use_record(), &At::use)}));
    return record;
}

// A row of the table.
struct MemoryOfStage : training::MemoryAt {
    int stage;
    int number;
};

const Record<MemoryOfStage>& memory_row_record() {
    using Row = MemoryOfStage;
    static const Record<Row> record(
        "A step of a stage's schedule.",
        joined<Row>({{whole<Row>("stage", "Pipeline stage, from 0.", &Row::stage),
                      whole<Row>("number", "Number of the step in the stage's schedule, from 0.", &Row::number)},
                     fields_of<Row>(moment_record(), std::identity())}));
    return record;
}

const Record<MemoryReport>& memory_report_record() {
    using Report = MemoryReport;
    static const Record<Report> record(
        "The contents of a GPU's memory in a training step.",
        joined<Report>({{command<Report>("memory")},
                        case_fields<Report>(&Report::what),
                        {part<Report>("memory", memory_record(), &Report::memory, memory_definition),
                         whole<Report>("stage", "The stage that over_time shows.", &Report::stage),
                         list_of<Report>("over_time", "A row for each step of the stage's schedule, in order.",
                                         moment_record(), &Report::steps),
                         texts<Report>("derived", "Options derived from the others, a sentence each.", "An assumption.",
                                       [](const Report& of) { return of.what.notes; })}}));
    return record;
}

}  // namespace

std::string text_of(const MemoryReport& report) {
    const training::StateBytes states = training::state_bytes(report.what.layout, report.what.layout.shards());
    Section fit{.kind = SectionKind::verdict};
    add_memory(fit, report.memory);
    Section stages{.kind = SectionKind::memory, .tables = {memory_of_stages(report.memory)}};
    stages.tables.front().note = fmt::format(
        "a {}parameter of a dense layer takes {:.4g} + {:.4g} + {:.4g} bytes (itself, gradient, optimizer)",
        report.what.layout.adapters.exist() ? "trained " : "", states.parameters, states.gradients, states.optimizer);
    std::string text = text_of(Explanation{.title = title_of(report.what),
                                           .subtitle = batch_text(report.what),
                                           .of = "",
                                           .scenario = "",
                                           .level = Level::brief,
                                           .sections = {fit, at_level(stages, Level::brief)}});
    if (!report.steps.empty()) {
        text += fmt::format(
                    "\nA rank of stage {} over the {} steps of its schedule; # states, buffers and reserve, + "
                    "activations and working memory\n",
                    report.stage, report.steps.size()) +
                memory_chart(report.steps, report.memory.capacity, chart_width);
    }
    text += "\nAssumptions\n";
    for (const std::string& notes : report.what.notes) {
        text += fmt::format("  {}\n", notes);
    }
    return text + "GB = 10^9 bytes\n";
}

std::string json_of(const MemoryReport& report) {
    return json_line(memory_report_record().json(report));
}

Table memory_over_stages(const TrainingCase& what) {
    std::vector<MemoryOfStage> rows;
    for (int stage = 0; stage < what.layout.parallelism.pp; ++stage) {
        int number = 0;
        for (training::MemoryAt& at : training::memory_over_time(what.model, what.machine, what.layout, stage)) {
            rows.push_back({std::move(at), stage, number++});
        }
    }
    return memory_row_record().table(rows);
}

SchemaText memory_schema() {
    return schema_of_command("memory", memory_report_record().schema());
}

SchemaText memory_columns() {
    return columns_of_command("memory", memory_row_record().columns());
}

}  // namespace sim::explain
