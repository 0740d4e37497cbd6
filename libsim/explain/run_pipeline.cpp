// The pipeline of a scenario's run: its bubble next to the closed form, and each rank's use of time.
#include "libsim/explain/run_sections.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"

#include <fmt/format.h>

namespace sim::explain {

namespace {

FigureTable rank_times(const ExplainedRun& run) {
    FigureTable table{.key = "ranks",
                      .title = "Each rank's time",
                      .columns = {{"rank", "rank", Unit::count, "", "rank"},
                                  {"compute", "computes", Unit::seconds, "simulated", "compute_seconds"},
                                  {"communication", "messages", Unit::seconds, "simulated", "communication_seconds"},
                                  {"idle", "waits", Unit::seconds, "simulated", "idle_seconds"}}};
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

std::optional<Section> explain_run_pipeline(const ExplainedRun& run) {
    Section section{.kind = SectionKind::pipeline};
    section.figures = {
        figure_at(run, "/bubble_fraction", {"bubble", "bubble", {}, Unit::share, "simulated: of all ranks' time"})};
    section.tables = {rank_times(run)};
    if (run.mesh("pp") == 1) {
        section.said = {
            {"The layers are not split into stages, so no stage waits for another: the bubble is {bubble}."}};
        return section;
    }
    section.figures.insert(
        section.figures.end(),
        {figure_at(run, "/mesh/pp", {"stages", "stages", {}, Unit::count, "pp"}),
         figure_at(run, "/options/micro_batches",
                   {"micro_batches", "micro-batches", {}, Unit::count, "--micro-batches"}),
         figure_at(run, "/options/schedule", {"schedule", "schedule", {}, Unit::words, "the order of the passes"})});
    section.said = {
        {"{stages} stages take turns on {micro_batches} micro-batches; for {bubble} of the time a GPU waits "
         "for the stage before or behind it."}};
    if (const auto closed = closed_form_of(run)) {
        section.figures.push_back({"closed_form", "closed form", closed->share, Unit::share,
                                   fmt::format("{}, of even stages and free messages", closed->formula)});
        section.said.push_back(
            {"The closed form of even stages and free messages gives {closed_form}; what messages "
             "take makes the difference."});
    }
    return section;
}

}  // namespace sim::explain
