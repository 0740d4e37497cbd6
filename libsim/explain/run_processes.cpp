// The process tree of a scenario's run: the real processes, with their pids and the memory that they really used.
#include "libsim/explain/run_sections.hpp"
#include "libsim/report/amounts.hpp"

#include <fmt/format.h>

namespace sim::explain {

using namespace report;

namespace {

FigureTable process_table(const ExplainedRun& run) {
    const auto& processes = run.result.at("processes");
    FigureTable table{.key = "processes",
                      .title = "",
                      .columns = {{"name", "process", Unit::words},
                                  {"pid", "pid", Unit::count, "real"},
                                  {"parent", "started by", Unit::count, "real"},
                                  {"resident", "most main memory", Unit::bytes, "measured by the system (wait4)"},
                                  {"cpu", "processor time", Unit::seconds, "measured by the system (wait4)"},
                                  {"gpu", "GPU memory (units)", Unit::count, "simulated, at its peak"}}};
    const Value launcher = value_at(processes, "/launcher_pid");
    table.rows.push_back({{std::string(run.result.at("scenario")), launcher, std::int64_t{run.explainer_pid},
                           value_at(processes, "/launcher_peak_resident_bytes"), Value(), Value()}});
    for (std::size_t rank = 0; rank < run.ranks(); ++rank) {
        const std::string at = fmt::format("/ranks/{}", rank);
        table.rows.push_back(
            {{fmt::format("rank {}", rank), value_at(processes, at + "/pid"), launcher,
              value_at(processes, at + "/peak_resident_bytes"), value_at(processes, at + "/cpu_seconds"),
              value_at(run.result, fmt::format("/per_rank/{}/peak_memory_units", rank))}});
    }
    return table;
}

std::vector<std::string> process_tree(const ExplainedRun& run) {
    constexpr std::size_t most_drawn = 16;
    const auto& processes = run.result.at("processes");
    std::vector<std::string> lines{
        fmt::format("ndsim explain (pid {})", run.explainer_pid),
        fmt::format("└─ {} (pid {}): the main process, which started the ranks, and simulates time and network",
                    run.result.at("scenario").get<std::string>(), processes.at("launcher_pid").get<int>())};
    for (std::size_t rank = 0; rank < run.ranks(); ++rank) {
        const bool is_last = rank + 1 == run.ranks();
        if (rank >= most_drawn && !is_last) {
            continue;
        }
        if (rank >= most_drawn && run.ranks() > most_drawn + 1) {
            lines.push_back(fmt::format("   ┆  {} more", run.ranks() - most_drawn - 1));
        }
        const auto& own = processes.at("ranks").at(rank);
        lines.push_back(fmt::format("   {} rank {} (pid {}): GPU {}, {} of main memory", is_last ? "└─" : "├─", rank,
                                    own.at("pid").get<int>(), rank,
                                    bytes_text(own.at("peak_resident_bytes").get<double>())));
    }
    return lines;
}

}  // namespace

std::optional<Section> explain_run_processes(const ExplainedRun& run) {
    Section section{.kind = SectionKind::processes};
    section.figures = {figure_at(run, "/host", {"host", "ranks live as", {}, Unit::words, "--host"}),
                       figure_at(run, "/ranks", {"ranks", "ranks", {}, Unit::count, "one for each GPU"})};
    if (run.result.at("processes").is_null()) {
        section.said = {
            {"The {ranks} ranks were stacks of one process (--host fiber), so that there is no tree of "
             "processes; with --host process each is one."}};
        return section;
    }
    section.said = {
        {"These {ranks} ranks were real processes, each of which ran the training's program for its GPU. "
         "They have no loader workers: a scenario's items are computed, not read."}};
    section.tables = {process_table(run)};
    section.drawing = process_tree(run);
    return section;
}

}  // namespace sim::explain
