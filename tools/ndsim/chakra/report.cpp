#include "tools/ndsim/chakra/report.hpp"

#include "libsim/report/amounts.hpp"
#include "libsim/report/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sim::tools {

using namespace report;
using namespace report::keys;

namespace {

std::int64_t finish_ps(const RankTotals& rank) {
    return rank.end.time_since_epoch().count();
}

// All ranks, or the last to finish if there are very many.
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

struct ChakraRank {
    std::size_t rank;
    const RankTotals* totals;

    std::int64_t finish() const { return finish_ps(*totals); }
};

std::vector<ChakraRank> chakra_ranks(const ChakraRun& run) {
    std::vector<ChakraRank> ranks;
    for (const RankTotals& totals : run.outcome.ranks) {
        ranks.push_back({ranks.size(), &totals});
    }
    return ranks;
}

constexpr const char* finish_means = "Simulated picoseconds at which the rank finishes.";

const report::Record<ChakraRank>& chakra_rank_record() {
    using Rank = ChakraRank;
    const auto spent = [](const char* key, const char* description, Duration RankTotals::*on) {
        return number<Rank>(key, description, [on](const Rank& of) { return seconds(of.totals->*on); });
    };
    static const report::Record<Rank> record(
        "A rank.",
        {whole<Rank>("rank", "Number of the rank, from 0.", &Rank::rank),
         spent("compute_seconds", "Seconds in which the rank computed.", &RankTotals::compute),
         spent("communication_seconds",
               "Seconds in which it did not compute, but waited for a transfer that was on its way.",
               &RankTotals::communication),
         spent("idle_seconds", "Seconds in which it waited for others to begin, or to end.", &RankTotals::idle),
         whole<Rank>("bytes_sent", "Bytes that it sent.", [](const Rank& of) { return of.totals->bytes_sent; })});
    return record;
}

const report::Record<ChakraRank>& chakra_columns_record() {
    using Rank = ChakraRank;
    static const report::Record<Rank> record(
        "A rank.",
        joined<Rank>({chakra_rank_record().fields({"rank"}),
                      {whole<Rank>("finish_ps", finish_means, &Rank::finish)},
                      chakra_rank_record().fields({"compute_seconds", "communication_seconds", "idle_seconds"})}));
    return record;
}

const report::Record<ChakraRun>& chakra_record() {
    using Run = ChakraRun;
    static const report::Record<Run> record(
        "A run of Chakra execution traces.",
        {name<Run>("network", "Name of the topology or profile.", &Run::network),
         whole<Run>("ranks", "Ranks of the traces.", [](const Run& of) { return of.outcome.ranks.size(); }),
         whole<Run>("nodes", "Nodes of all ranks.", &Run::nodes),
         number<Run>("simulated_seconds", "Simulated seconds of the whole run.",
                     [](const Run& of) { return seconds(of.outcome.end); }),
         values_of<Run>("rank_finish_ps", "One number for each rank, in order.", "integer", finish_means,
                        [](const Run& of) {
                            std::vector<std::int64_t> finish;
                            for (const RankTotals& rank : of.outcome.ranks) {
                                finish.push_back(finish_ps(rank));
                            }
                            return finish;
                        }),
         list_of<Run>("per_rank", "A row for each rank; its three times add up to the run.", chakra_rank_record(),
                      chakra_ranks),
         name<Run>("timeline_sha256", "SHA-256 of all spans of the run: equal timelines have equal hashes.",
                   [](const Run& of) { return of.outcome.timeline_sha256; })});
    return record;
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
    return json_line(chakra_record().json(run));
}

Table table_of(const ChakraRun& run) {
    return chakra_columns_record().table(chakra_ranks(run));
}

SchemaText chakra_schema() {
    return schema_of_command("chakra", chakra_record().schema());
}

SchemaText chakra_columns() {
    return columns_of_command("chakra", chakra_columns_record().columns());
}

}  // namespace sim::tools
