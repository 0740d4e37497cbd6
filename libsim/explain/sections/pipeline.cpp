// The pipeline's simulated bubble next to the closed form.
#include "libsim/explain/explained_run.hpp"
#include "libsim/explain/explained_step.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sim::explain {

using namespace predict;

namespace {

Sentence one_stage() {
    return {"The layers are not split into stages, so no stage waits for another: the bubble is {bubble}."};
}

FigureTable stages_table(const StepReport& report) {
    FigureTable table{.key = "stages",
                      .title = "Each stage's time in a step",
                      .columns = {{"stage", "stage", Unit::count},
                                  {"compute", "compute", Unit::seconds, "simulated", "compute"},
                                  {"messages", "waiting for messages", Unit::seconds, "simulated", "pipeline"},
                                  {"bubble", "idle", Unit::seconds, "simulated", "bubble"},
                                  {"in_flight", "micro-batches in flight", Unit::count, "at its peak"}}};
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

// Adds how much longer the slowest stage is at work than the average one, if the others notice.
void add_uneven(Section& section, const std::vector<Budget>& stages) {
    constexpr double worth_saying = 0.01;
    std::vector<double> busy;
    for (const Budget& stage : stages) {
        double sum = 0;
        for (const TimeCategory kind : {TimeCategory::compute, TimeCategory::recompute, TimeCategory::tensor,
                                        TimeCategory::context, TimeCategory::expert}) {
            sum += stage[static_cast<std::size_t>(kind)];
        }
        busy.push_back(sum);
    }
    const double average = std::accumulate(busy.begin(), busy.end(), 0.0) / static_cast<double>(stages.size());
    const auto slowest = std::max_element(busy.begin(), busy.end());
    if (!(average > 0) || *slowest < (1 + worth_saying) * average) {
        return;
    }
    const auto equal = std::count_if(busy.begin(), busy.end(), [&](double x) { return x > 0.999 * *slowest; });
    section.brief.push_back(
        {"slowest",
         equal == 1
             ? "stage {slowest} is at work {longer} longer than the average stage, and the others wait for it"
             : "{slow} stages are at work {longer} longer than the average stage, and the others wait for them"});
    section.figures.insert(
        section.figures.end(),
        {{.key = "slowest", .value = std::int64_t{slowest - busy.begin()}, .unit = Unit::count, .at = Shown::brief},
         {.key = "slow", .value = std::int64_t{equal}, .unit = Unit::count, .at = Shown::brief},
         {.key = "longer", .value = *slowest / average - 1, .unit = Unit::share, .at = Shown::brief}});
}

// Adds the closed form of even stages and free messages, and a warning if the micro-batches are too few for it.
void add_closed_form(Section& section, const training::Layout& layout) {
    const NamedPipelineSchedule& schedule = *layout.parallelism.schedule;
    const std::string warning = schedule.warning(layout.pipeline_shape());
    std::string bubble = "{bubble} of all ranks' time";
    if (schedule.bubble != nullptr) {
        const PipelineBubble closed = schedule.bubble(layout.pipeline_shape());
        section.figures.push_back({"closed_form", "closed form", closed.share, Unit::share,
                                   fmt::format("{}, for even stages and free messages", closed.formula),
                                   "/pipeline/closed_form_bubble_fraction"});
        section.figures.push_back({.key = "formula", .value = std::string(closed.formula), .at = Shown::brief});
        section.said.push_back({"With even stages and messages that take no time it would be {closed_form}."});
        bubble += warning.empty() ? "; with even stages and free messages {closed_form} = {formula}" : "";
    }
    section.brief.push_back({"bubble", bubble});
    if (!warning.empty()) {
        section.brief.push_back({"warning", "{warning}"});
        section.figures.push_back({.key = "warning", .value = warning, .at = Shown::brief});
    }
}

}  // namespace

std::optional<Section> explain_pipeline(const ExplainedStep& explained) {
    const StepReport& report = *explained.report;
    const training::Layout& layout = report.what.layout;
    Section section{.kind = SectionKind::pipeline};
    section.figures = {{"bubble", "bubble", report.step.bubble_fraction, Unit::share,
                        "simulated: the average share of the step in which a stage is idle",
                        "/pipeline/bubble_fraction"}};
    if (layout.parallelism.pp == 1) {
        section.said = {one_stage()};
        return section;
    }
    section.figures.insert(section.figures.end(),
                           {{"stages", "stages", std::int64_t{layout.parallelism.pp}, Unit::count, "pp", "/layout/pp"},
                            {"micro_batches", "micro-batches", std::int64_t{layout.micro_batches()}, Unit::count,
                             "global batch / (dp x micro-batch)"},
                            {"schedule", "schedule", std::string(layout.parallelism.schedule->name), Unit::words,
                             "order of the passes", "/pipeline/schedule"}});
    section.said = {
        {"{stages} stages take turns on {micro_batches} micro-batches. While the pipeline fills and drains, a GPU is "
         "idle for {bubble} of the step."}};
    section.brief = {
        {"schedule", std::string("{schedule}, {stages} stages") +
                         (layout.parallelism.interleave > 1 ? " of {chunks} chunks" : "") +
                         (layout.micro_batches() == 1 ? ", 1 micro-batch" : ", {micro_batches} micro-batches")}};
    section.figures.push_back({.key = "chunks",
                               .value = std::int64_t{layout.parallelism.interleave},
                               .unit = Unit::count,
                               .at = Shown::brief});
    add_closed_form(section, layout);
    add_uneven(section, report.step.stage_budgets);
    section.tables = {stages_table(report)};
    return section;
}

namespace {

FigureTable rank_times(const ExplainedRun& run) {
    FigureTable table{.key = "ranks",
                      .title = "Each rank's time",
                      .columns = {{"rank", "rank", Unit::count, "", "rank"},
                                  {"compute", "compute", Unit::seconds, "simulated", "compute_seconds"},
                                  {"communication", "messages", Unit::seconds, "simulated", "communication_seconds"},
                                  {"idle", "waiting", Unit::seconds, "simulated", "idle_seconds"}}};
    for (std::size_t rank = 0; rank < run.ranks(); ++rank) {
        const std::string row = fmt::format("/per_rank/{}", rank);
        const auto cell = [&](const char* key) { return value_at(run.result, row + "/" + key); };
        table.rows.push_back(
            {{cell("rank"), cell("compute_seconds"), cell("communication_seconds"), cell("idle_seconds")}, row});
    }
    return table;
}

// Nothing if no formula is known.
std::optional<PipelineBubble> closed_form_of(const ExplainedRun& run) {
    const auto& options = run.result.at("options");
    const NamedPipelineSchedule& schedule = pipeline_schedule(options.at("schedule").get<std::string>());
    if (schedule.bubble == nullptr) {
        return std::nullopt;
    }
    return schedule.bubble(
        schedule.shape(run.mesh("pp"), options.at("micro_batches").get<int>(), options.at("chunks").get<int>()));
}

}  // namespace

std::optional<Section> explain_pipeline(const ExplainedRun& run) {
    Section section{.kind = SectionKind::pipeline};
    section.figures = {
        figure_at(run, "/bubble_fraction", {"bubble", "bubble", {}, Unit::share, "simulated: of all ranks' time"})};
    section.tables = {rank_times(run)};
    if (run.mesh("pp") == 1) {
        section.said = {one_stage()};
        return section;
    }
    section.figures.insert(
        section.figures.end(),
        {figure_at(run, "/mesh/pp", {"stages", "stages", {}, Unit::count, "pp"}),
         figure_at(run, "/options/micro_batches",
                   {"micro_batches", "micro-batches", {}, Unit::count, "--micro-batches"}),
         figure_at(run, "/options/schedule", {"schedule", "schedule", {}, Unit::words, "order of the passes"})});
    section.said = {
        {"{stages} stages take turns on {micro_batches} micro-batches; for {bubble} of the time, a GPU waits for the "
         "stage before or after it."}};
    if (const auto closed = closed_form_of(run)) {
        section.figures.push_back({"closed_form", "closed form", closed->share, Unit::share,
                                   fmt::format("{}, for even stages and free messages", closed->formula)});
        section.said.push_back(
            {"The closed form for even stages and free messages gives {closed_form}; the messages account for the "
             "difference."});
    }
    return section;
}

}  // namespace sim::explain
