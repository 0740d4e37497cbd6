// The memory of each rank of a scenario's run, as its program allocated it, at the rank's peak.
#include "libsim/explain/run_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sim::explain {

namespace {

// Billionths of units by label, at the moment of the largest total.
using Classes = std::map<std::string, std::int64_t>;

std::vector<Classes> fullest_moments(const ExplainedRun& run) {
    struct Filling {
        Classes now;
        std::int64_t sum = 0;
        Classes fullest;
        std::int64_t most = 0;
    };
    std::vector<Filling> held(run.ranks());
    for (const Span& span : run.timeline.spans) {
        if (span.kind != OpKind::allocate) {
            continue;
        }
        Filling& own = held.at(static_cast<std::size_t>(span.rank));
        own.now[*span.label] += span.amount - own.sum;
        own.sum = span.amount;
        if (own.sum > own.most) {
            own.most = own.sum;
            own.fullest = own.now;
        }
    }
    std::vector<Classes> found;
    for (Filling& own : held) {
        found.push_back(std::move(own.fullest));
    }
    return found;
}

std::string key_of_label(std::string label) {
    std::replace(label.begin(), label.end(), ' ', '_');
    return label;
}

FigureTable rank_memory(const ExplainedRun& run) {
    const std::vector<Classes> moments = fullest_moments(run);
    Classes all;
    for (const Classes& one : moments) {
        all.insert(one.begin(), one.end());
    }
    FigureTable table{.key = "processes",
                      .title = "What each rank holds at its fullest moment, in data units",
                      .columns = {{"rank", "rank", Unit::count}}};
    for (const auto& [label, amount] : all) {
        table.columns.push_back({key_of_label(label), label, Unit::count, "as the programs allocated it"});
    }
    table.columns.push_back({"total", "total", Unit::count, "simulated", "peak_memory_units"});
    for (std::size_t rank = 0; rank < run.ranks(); ++rank) {
        const std::string pointer = fmt::format("/per_rank/{}", rank);
        FigureRow row{{static_cast<std::int64_t>(rank)}, pointer};
        for (const auto& [label, amount] : all) {
            const auto found = moments[rank].find(label);
            row.cells.emplace_back(Units::from_billionths(found == moments[rank].end() ? 0 : found->second).value());
        }
        row.cells.push_back(value_at(run.result, pointer + "/peak_memory_units"));
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace

std::optional<Section> explain_run_memory(const ExplainedRun& run) {
    std::size_t fullest = 0;
    const auto peak = [&](std::size_t rank) {
        return run.result.at("per_rank").at(rank).at("peak_memory_units").get<double>();
    };
    for (std::size_t rank = 1; rank < run.ranks(); ++rank) {
        fullest = peak(rank) > peak(fullest) ? rank : fullest;
    }
    Section section{.kind = SectionKind::memory};
    section.figures = {{"fullest", "fullest rank", static_cast<std::int64_t>(fullest), Unit::count, "largest total"},
                       figure_at(run, fmt::format("/per_rank/{}/peak_memory_units", fullest),
                                 {"peak", "its memory (units)", {}, Unit::count, "simulated, at its peak"})};
    section.said = {{"Rank {fullest} needs most memory: {peak} data units."}};
    if (!run.alone.is_null()) {
        const double alone = run.alone.at("per_rank").at(0).at("peak_memory_units").get<double>();
        section.figures.push_back(
            {"alone", "on one GPU (units)", alone, Unit::count, "0d_sequential, of the same training"});
        section.figures.push_back(
            {"saved", "saved (units)", alone - peak(fullest), Unit::count, "on one GPU - on the fullest of these"});
        section.said.push_back({"One GPU that did it all would need {alone}: each saves {saved} or more."});
    }
    section.tables = {rank_memory(run)};
    return section;
}

}  // namespace sim::explain
