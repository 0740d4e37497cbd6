// Advice for a scenario: variants of the run with one change each, run and compared; and the assumptions of the
// explanation.
#include "libsim/explain/run_sections.hpp"

#include <algorithm>

namespace sim::explain {

std::optional<Section> explain_run_advice(const ExplainedRun& run) {
    if (run.tried.empty()) {
        return std::nullopt;
    }
    Section section{.kind = SectionKind::advice};
    FigureTable table{.key = "tried",
                      .title = "Each was run",
                      .columns = {{"what", "what", Unit::words},
                                  {"seconds", "run", Unit::seconds, "simulated"},
                                  {"gain", "saves", Unit::share, "1 - its run / this run"},
                                  {"command", "command", Unit::command}}};
    std::vector<TriedRun> tried = run.tried;
    std::stable_sort(tried.begin(), tried.end(),
                     [](const TriedRun& a, const TriedRun& b) { return a.seconds < b.seconds; });
    const auto gain = [&](const TriedRun& one) { return run.seconds() > 0 ? 1 - one.seconds / run.seconds() : 0; };
    for (const TriedRun& one : tried) {
        table.rows.push_back({{one.what, one.seconds, gain(one), one.command}});
    }
    const TriedRun& best = tried.front();
    section.figures = {{"gain", "the best saves", gain(best), Unit::share, "1 - its run / this run"},
                       {"best", "what", best.what, Unit::words, "the fastest of those below"}};
    section.said = {gain(best) > 0 ? Sentence{"The most helps: {best}. It saves {gain} of the time."}
                                   : Sentence{"None of these is faster than the run as it is."}};
    section.tables = {std::move(table)};
    return section;
}

std::optional<Section> explain_run_assumptions(const ExplainedRun& run) {
    Section section{.kind = SectionKind::assumptions};
    section.figures = {
        figure_at(run, "/profile", {"profile", "prices", {}, Unit::words, "--profile: of work and messages"}),
        figure_at(run, "/timeline_sha256",
                  {"timeline_sha256", "timeline", {}, Unit::words, "its hash: the same in every such run"})};
    section.said = {
        {"Times are those of the profile {profile}, exactly: the training is really done, on this computer, but what "
         "it costs is simulated."},
        {"A scenario reads no samples and draws no power: loading, checkpoints and watts are computed for its steps "
         "from what is assumed above; --sample-seconds, --loader-workers and --checkpoint-seconds change it."}};
    return section;
}

}  // namespace sim::explain
