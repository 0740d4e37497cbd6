#include "tools/ndsim/chakra_report.hpp"

#include "libsim/report/time_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace sim::tools {

using namespace report;

namespace {

std::int64_t finish_ps(const RankTotals& rank) {
    return rank.end.time_since_epoch().count();
}

// All ranks, or of very many those that finish last.
std::vector<std::size_t> shown_ranks(const ChakraRun& run) {
    constexpr std::size_t most_shown = 64;
    const std::vector<RankTotals>& ranks = run.outcome.ranks;
    std::vector<std::size_t> shown(ranks.size());
    std::iota(shown.begin(), shown.end(), 0U);
    if (shown.size() > most_shown) {
        std::stable_sort(shown.begin(), shown.end(),
                         [&](std::size_t a, std::size_t b) { return ranks[a].end > ranks[b].end; });
        shown.resize(most_shown);
        std::sort(shown.begin(), shown.end());
    }
    return shown;
}

}  // namespace

std::string text_of(const ChakraRun& run) {
    const std::vector<RankTotals>& ranks = run.outcome.ranks;
    std::string text = fmt::format("{} rank{} on {}: {} nodes, of which {} compute, {} join a collective and {} send\n",
                                   ranks.size(), ranks.size() == 1 ? "" : "s", run.network, run.nodes, run.computations,
                                   run.collectives, run.messages);
    const std::vector<std::size_t> shown = shown_ranks(run);
    if (shown.size() < ranks.size()) {
        text += fmt::format("the {} ranks that finish last; --json has all\n", shown.size());
    }
    text +=
        fmt::format("\n{:>8}  {:>12}  {:>12}  {:>12}  {:>12}\n", "rank", "finish", "compute", "communicate", "idle");
    for (const std::size_t rank : shown) {
        const RankTotals& totals = ranks[rank];
        text += fmt::format("{:>8}  {:>12}  {:>12}  {:>12}  {:>12}\n", rank, time_text(totals.end, 5),
                            time_text(Time{totals.compute}, 5), time_text(Time{totals.communication}, 5),
                            time_text(Time{totals.idle}, 5));
    }
    return text;
}

std::string json_of(const ChakraRun& run) {
    nlohmann::ordered_json finish = nlohmann::ordered_json::array();
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (std::size_t rank = 0; rank < run.outcome.ranks.size(); ++rank) {
        const RankTotals& totals = run.outcome.ranks[rank];
        finish.push_back(finish_ps(totals));
        rows.push_back({{"rank", rank},
                        {"compute_seconds", seconds(totals.compute)},
                        {"communication_seconds", seconds(totals.communication)},
                        {"idle_seconds", seconds(totals.idle)},
                        {"bytes_sent", totals.bytes_sent}});
    }
    return nlohmann::ordered_json{{"network", run.network},
                                  {"ranks", run.outcome.ranks.size()},
                                  {"nodes", run.nodes},
                                  {"simulated_seconds", seconds(run.outcome.end)},
                                  {"rank_finish_ps", finish},
                                  {"per_rank", rows},
                                  {"timeline_sha256", run.outcome.timeline_sha256}}
               .dump() +
           "\n";
}

report::Table table_of(const ChakraRun& run) {
    report::Table table{
        .columns = {{"rank"}, {"finish_ps"}, {"compute_seconds"}, {"communication_seconds"}, {"idle_seconds"}},
        .rows = {}};
    for (std::size_t rank = 0; rank < run.outcome.ranks.size(); ++rank) {
        const RankTotals& totals = run.outcome.ranks[rank];
        table.rows.push_back(
            {std::to_string(rank), std::to_string(finish_ps(totals)), fmt::format("{:.12g}", seconds(totals.compute)),
             fmt::format("{:.12g}", seconds(totals.communication)), fmt::format("{:.12g}", seconds(totals.idle))});
    }
    return table;
}

}  // namespace sim::tools
