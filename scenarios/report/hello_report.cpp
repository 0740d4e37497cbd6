#include "scenarios/report/hello_report.hpp"

#include "libsim/report/record.hpp"
#include "libsim/report/text_table.hpp"
#include "ranks/hosts.hpp"
#include "scenarios/report/run_records.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim::scenarios {

using namespace report;
using namespace report::keys;

namespace {

constexpr const char* hello_program = "distributed_hello";

const std::vector<double>& numbers_of(const RankOfRun& of, const char* reported) {
    return of.result->reports.at(reported).at(static_cast<int>(of.rank));
}

std::string some(const std::vector<double>& numbers) {
    constexpr std::size_t most = 8;
    const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(std::min(most, numbers.size()));
    return fmt::format("{}{}", fmt::join(numbers.begin(), end, " "), numbers.size() > most ? " …" : "");
}

const Record<RankOfRun>& hello_rank_record() {
    static const Record<RankOfRun> record(
        "A rank.",
        joined<RankOfRun>(
            {rank_record().fields(),
             {values_of<RankOfRun>("brought", "The numbers that the rank brought.", "number", "A number.",
                                   [](const RankOfRun& of) { return numbers_of(of, "brought"); }),
              values_of<RankOfRun>("holds", "The numbers that it held after the all-reduce.", "number", "A number.",
                                   [](const RankOfRun& of) { return numbers_of(of, "holds"); })}}));
    return record;
}

const Record<HelloRun>& hello_record() {
    const auto run = [](std::initializer_list<std::string_view> keys) {
        return fields_of<HelloRun>(run_record().fields(keys),
                                   [](const HelloRun& of) -> const sim::ranks::Result& { return of.result; });
    };
    static const Record<HelloRun> record(
        "All ranks sum up ones x rank.",
        joined<HelloRun>(
            {{name<HelloRun>("scenario", "distributed_hello.", [](const HelloRun&) { return hello_program; })},
             fields_of<HelloRun>(asked_record(),
                                 [](const HelloRun& of) -> const command_line::RunOptions& { return of.options; }),
             run({"simulated_seconds", "wall_seconds"}),
             {number<HelloRun>("expected", "The sum that every rank must hold: n (n-1) / 2.", &HelloRun::expected),
              truth<HelloRun>("right", "Whether every rank holds it.", &HelloRun::is_right),
              list_of<HelloRun>("per_rank", "A row for each rank.", hello_rank_record(),
                                [](const HelloRun& of) { return ranks_of(of.result); })},
             run({"timeline_sha256", "messages", "ops"})}));
    return record;
}

}  // namespace

bool HelloRun::is_right() const {
    const auto& holds = result.reports.at("holds");
    return holds.size() == static_cast<std::size_t>(options.ranks) &&
           std::all_of(holds.begin(), holds.end(), [&](const auto& of_rank) {
               return std::all_of(of_rank.second.begin(), of_rank.second.end(),
                                  [&](double x) { return x == expected(); });
           });
}

std::string hello_text(const HelloRun& run) {
    TextTable table{
        .columns = {{"rank"}, {"pid"}, {"brought", Align::left}, {"holds", Align::left}}, .rows = {}, .margin = "  "};
    for (const RankOfRun& rank : ranks_of(run.result)) {
        table.rows.push_back({{fmt::format("{}", rank.rank), fmt::format("{}", rank.pid()),
                               some(numbers_of(rank, "brought")), some(numbers_of(rank, "holds"))}});
    }
    const int ranks = run.options.ranks;
    return fmt::format("{}: {} rank{} ({}), profile {}\n\n", hello_program, ranks, ranks == 1 ? "" : "s",
                       sim::ranks::row_of(run.options.host).plural, run.options.profile) +
           text_of(table) +
           fmt::format("\n  the sum of all ranks is {}, and {}\n  simulated time {:.6g} s, {} messages\n",
                       run.expected(), run.is_right() ? "every rank holds it" : "NOT EVERY RANK HOLDS IT",
                       seconds(run.result.end), run.result.messages);
}

std::string hello_json(const HelloRun& run) {
    return json_line(hello_record().json(run));
}

SchemaText hello_schema() {
    return schema_of_result(hello_program, fmt::format("What {} prints with --json", hello_program),
                            hello_record().schema());
}

}  // namespace sim::scenarios
