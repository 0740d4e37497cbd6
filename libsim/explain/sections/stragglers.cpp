// The rank or link of a scenario's run that makes others wait, found from its timeline alone, regardless of the
// options.
#include "libsim/trace/stragglers.hpp"
#include "libsim/explain/explained_run.hpp"

namespace sim::explain {

namespace {

FigureTable ranks_table(const trace::Blame& blame) {
    FigureTable table{
        .key = "ranks",
        .title = "Ranks that compute more slowly",
        .columns = {{"rank", "rank", Unit::count},
                    {"factor", "times as long", Unit::factor, "its computations / what others take for the same"},
                    {"from", "from", Unit::seconds, "its first slow computation"},
                    {"to", "to", Unit::seconds, "its last one"},
                    {"lost", "lost", Unit::seconds, "extra time of its computations"}}};
    for (const trace::Straggler& one : blame.ranks) {
        table.rows.push_back(
            {{std::int64_t{one.rank}, one.factor, seconds(one.from), seconds(one.until), seconds(one.lost)}});
    }
    return table;
}

FigureTable links_table(const trace::Blame& blame) {
    FigureTable table{
        .key = "links",
        .title = "Links that are slower",
        .columns = {{"source", "from rank", Unit::count},
                    {"target", "to rank", Unit::count},
                    {"factor", "times as long", Unit::factor, "its messages / what others of their size take"},
                    {"lost", "lost", Unit::seconds, "extra time of its messages"}}};
    for (const trace::LateLink& one : blame.links) {
        table.rows.push_back({{std::int64_t{one.source}, std::int64_t{one.target}, one.factor, seconds(one.lost)}});
    }
    return table;
}

FigureTable standstills_table(const trace::Blame& blame) {
    FigureTable table{.key = "standstills",
                      .title = "Ranks that stand still",
                      .columns = {{"rank", "rank", Unit::count},
                                  {"from", "from", Unit::seconds, "the timeline"},
                                  {"lost", "for", Unit::seconds, "it does nothing, and waits for nobody"}}};
    for (const trace::Standstill& one : blame.standstills) {
        table.rows.push_back({{std::int64_t{one.rank}, seconds(one.from), seconds(one.lost)}});
    }
    return table;
}

}  // namespace

std::optional<Section> explain_stragglers(const ExplainedRun& run) {
    const trace::Blame blame = trace::blame(run.timeline.spans);
    if (blame.ranks.empty() && blame.links.empty() && blame.standstills.empty()) {
        return std::nullopt;
    }
    Section section{.kind = SectionKind::stragglers};
    if (!blame.ranks.empty()) {
        section.figures = {{"rank", "slowest rank", std::int64_t{blame.ranks.front().rank}, Unit::count,
                            "the timeline: others do the same in less time"},
                           {"factor", "it computes", blame.ranks.front().factor, Unit::factor, "times as long"},
                           {"lost_seconds", "and loses", seconds(blame.ranks.front().lost), Unit::seconds,
                            "extra time of its computations"}};
        section.said = {
            {"Rank {rank} is to blame: it computes {factor} as long as others for the same work. All ranks that "
             "synchronise with it wait."}};
        section.tables.push_back(ranks_table(blame));
    }
    if (!blame.links.empty()) {
        section.said.push_back({"Messages between some ranks take longer than others of their size."});
        section.tables.push_back(links_table(blame));
    }
    if (!blame.standstills.empty()) {
        section.said.push_back({"A rank did nothing for a while, though nobody kept it waiting: it was stopped."});
        section.tables.push_back(standstills_table(blame));
    }
    section.notes = {{"Found from the timeline alone. The remedies under What to try were run."}};
    return section;
}

}  // namespace sim::explain
