// The effect of killing a part of a scenario's run: the process of a rank really is killed.
#include "libsim/explain/failure_section.hpp"
#include "libsim/explain/run_sections.hpp"

#include <fmt/format.h>

namespace sim::explain {

namespace {

FigureTable waiting_table(const KilledRun& killed) {
    FigureTable table{.key = "waiting",
                      .title = "Who can never go on without it",
                      .columns = {{"rank", "rank", Unit::count},
                                  {"pid", "pid", Unit::count, "real"},
                                  {"since", "waits since", Unit::seconds, "simulated"},
                                  {"for", "for rank", Unit::count},
                                  {"in", "in", Unit::words}}};
    for (std::size_t i = 0; i < killed.result.at("waiting").size(); ++i) {
        const auto cell = [&](const char* key) {
            return value_at(killed.result, fmt::format("/waiting/{}/{}", i, key));
        };
        table.rows.push_back({{cell("rank"), cell("pid"), cell("since_seconds"), cell("waits_for"), cell("waits_in")}});
    }
    return table;
}

void add_killed_rank(Section& section, const ExplainedRun& run) {
    const KilledRun& killed = *run.killed;
    const auto& fault = killed.result.at("fault");
    const double died = fault.at("died_seconds").get<double>();
    const auto waiting = static_cast<std::int64_t>(killed.result.at("waiting").size());
    const std::string asked = "asked for: " + killed.command;
    section.figures.insert(
        section.figures.end(),
        {{"killed_rank", "rank that was killed", value_at(fault, "/rank"), Unit::count, asked},
         {"killed_pid", "its process", value_at(fault, "/pid"), Unit::count, "real"},
         {"signal", "signal that ended it", value_at(fault, "/signal"), Unit::count, "as the system reports it"},
         {"died_seconds", "died at", died, Unit::seconds, "simulated: when the operation ended that was under way"},
         {"waiting", "ranks that can never go on", waiting, Unit::count, "the ranks' own operations"},
         {"standstill_seconds", "all stand still from", value_at(killed.result, "/standstill_seconds"), Unit::seconds,
          "simulated: the last one begins to wait, or has finished"},
         {"lost_seconds", "work of this run lost", died * static_cast<double>(run.ranks()), Unit::seconds,
          "died at x ranks: without --checkpoint-every a run has no checkpoint"}});
    section.said.push_back(
        {"Rank {killed_rank} was really killed: its process {killed_pid} was ended by signal "
         "{signal} at {died_seconds} of simulated time. {waiting} others can never go on, and from "
         "{standstill_seconds} on all stand still. What ndsim said of it stands below."});
    section.tables.push_back(waiting_table(killed));
    section.drawing = killed.said;
}

}  // namespace

std::optional<Section> explain_run_failures(const ExplainedRun& run) {
    Section section{.kind = SectionKind::failures};
    if (run.killed) {
        add_killed_rank(section, run);
    }
    section.notes = {
        {"--on-fault restart|spare|elastic lets the training go on from a checkpoint, really: docs/faults.md."},
        {"What weeks of failures leave of a training, and how often to take a checkpoint: ndsim goodput."}};
    add_failures(section, {.input = best_pipeline(input_of(run)),
                           .gpus = static_cast<int>(run.ranks()),
                           .gpus_per_node = static_cast<int>(run.ranks()),
                           .checkpoint_seconds = run.settings.checkpoint_seconds});
    return section;
}

}  // namespace sim::explain
