// The pipeline of a training step: its simulated bubble next to the closed form.
#include "libsim/explain/step_sections.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"

#include <fmt/format.h>

namespace sim::explain {

using namespace predict;

namespace {

FigureTable stages_table(const StepReport& report) {
    FigureTable table{.key = "stages",
                      .title = "Each stage's time in a step",
                      .columns = {{"stage", "stage", Unit::count},
                                  {"compute", "computes", Unit::seconds, "simulated", "compute"},
                                  {"messages", "waits for messages", Unit::seconds, "simulated", "pipeline"},
                                  {"bubble", "has nothing to do", Unit::seconds, "simulated", "bubble"},
                                  {"in_flight", "micro-batches in flight", Unit::count, "at its fullest moment"}}};
    const auto at = [](const Budget& budget, TimeCategory category) {
        return budget[static_cast<std::size_t>(category)];
    };
    for (std::size_t i = 0; i < report.step.stage_budgets.size(); ++i) {
        const Budget& budget = report.step.stage_budgets[i];
        table.rows.push_back(
            {{static_cast<std::int64_t>(i), at(budget, TimeCategory::compute), at(budget, TimeCategory::pipeline),
              at(budget, TimeCategory::bubble), std::int64_t{report.step.memory.stages[i].in_flight}},
             fmt::format("/stages/{}", i)});
    }
    return table;
}

}  // namespace

std::optional<Section> explain_pipeline(const ExplainedStep& explained) {
    const StepReport& report = *explained.report;
    const training::Layout& layout = report.what.layout;
    Section section{.kind = SectionKind::pipeline};
    section.figures = {{"bubble", "bubble", report.step.bubble_fraction, Unit::share,
                        "simulated: the average share of the step in which a GPU has nothing to do",
                        "/pipeline/bubble_fraction"}};
    if (layout.parallelism.pp == 1) {
        section.said = {
            {"The layers are not split into stages, so no stage waits for another: the bubble is {bubble}."}};
        return section;
    }
    section.figures.insert(section.figures.end(),
                           {{"stages", "stages", std::int64_t{layout.parallelism.pp}, Unit::count, "pp", "/layout/pp"},
                            {"micro_batches", "micro-batches", std::int64_t{layout.micro_batches()}, Unit::count,
                             "global batch / (dp x micro-batch)"},
                            {"schedule", "schedule", std::string(layout.parallelism.schedule->name), Unit::words,
                             "the order of the passes", "/pipeline/schedule"}});
    section.said = {
        {"{stages} stages take turns on {micro_batches} micro-batches. While the pipeline fills and drains, "
         "a GPU has nothing to do for {bubble} of the step."}};
    if (const auto closed_form = layout.parallelism.schedule->bubble; closed_form != nullptr) {
        const PipelineBubble closed = closed_form(layout.pipeline_shape());
        section.figures.push_back({"closed_form", "closed form", closed.share, Unit::share,
                                   fmt::format("{}, of even stages and free messages", closed.formula),
                                   "/pipeline/closed_form_bubble_fraction"});
        section.said.push_back({"With even stages and messages that take no time it would be {closed_form}."});
    }
    section.tables = {stages_table(report)};
    return section;
}

}  // namespace sim::explain
