// The causes of the step's length, its sensitivities, and what to try.
#include "libsim/explain/train/sections.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim::explain {

using namespace report;
using namespace predict;

namespace {

constexpr std::size_t most_sums = 8;
constexpr std::size_t most_turns = 12;
constexpr std::size_t most_advice = 6;
constexpr std::size_t most_savings = 4;
constexpr std::size_t most_warnings = 4;
constexpr double worth_it = 0.002;    // fraction of the step
constexpr double worth_bytes = 0.02;  // fraction of the fullest rank's memory

using report::Align;
using report::TextRow;
using report::TextTable;

TextTable advice_table() {
    return {.columns = {{""}, {""}, {""}, {"", Align::left}, {"", Align::left}}, .rows = {}, .margin = "  "};
}

// Adds the matching rows below `title`; if there are none, adds `title` with `none`, or nothing if `none` is empty.
template <typename Predicate>
void add_rows(TextTable& table, const std::string& title, const AdviceList& list, std::size_t most,
              Predicate&& is_shown, const std::string& none = "") {
    std::vector<TextRow> rows;
    for (const Advice& advice : list.tried) {
        if (rows.size() < most && is_shown(advice)) {
            rows.push_back(
                {{change_text(-advice.gain), time_text(advice.step_seconds),
                  bytes_text(static_cast<double>(advice.memory)), typed(advice.change), "# " + advice.text}});
        }
    }
    if (rows.empty() && none.empty()) {
        return;
    }
    table.rows.push_back({{}, title});
    if (rows.empty()) {
        table.rows.push_back({{}, "  " + none});
    }
    table.rows.insert(table.rows.end(), rows.begin(), rows.end());
}

std::string what_would_fit(const AdviceList& list) {
    TextTable table = advice_table();
    add_rows(
        table, "What would fit: a change, the step and the memory with it; the fastest first", list, most_advice,
        [](const Advice&) { return true; },
        "none of this layout's neighbours; ndsim plan looks at all layouts, and says how many GPUs would do");
    return "\n" + text_of(table);
}

std::string counts_of(const AdviceList& list) {
    const auto tried = static_cast<std::int64_t>(list.tried.size());
    return fmt::format("  {} predicted; {} not fit; {}\n", number_text(tried, "neighbour", "neighbours"),
                       number_text(list.too_large, "more does", "more do"),
                       number_text(list.impossible, "is not a valid layout", "are not valid layouts"));
}

// "on stage 3", or "on 5 stages, most on stage 3: 1.234 s".
std::string where(const PathSum& sum, const char* rank) {
    if (sum.ranks == 1) {
        return fmt::format("{} {} {}", sum.message ? "from" : "on", rank, sum.busiest);
    }
    const char* const on = sum.message ? "from" : "on";
    return fmt::format("{} {} {}s, most {} {} {}: {}", on, sum.ranks, rank, on, rank, sum.busiest,
                       time_text(seconds(sum.on_busiest)));
}

std::string route(const std::vector<PathPiece>& path, const char* rank) {
    const std::vector<int> all = turns(path);
    if (all.size() < 2) {
        return "";
    }
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(most_turns, all.size()));
    const auto more = std::count(end, all.end(), all.front());
    return fmt::format("  path: {} {}{}\n", rank, fmt::join(all.begin(), end, " -> "),
                       end == all.end() ? ""
                       : more == 0      ? " …"
                                   : fmt::format(" … ({})", number_text(more, "more round trip", "more round trips")));
}

}  // namespace

std::string path_section(const std::vector<PathPiece>& path, Duration step, const char* rank) {
    if (path.empty()) {
        return "";
    }
    TextTable table{.columns = {{""}, {""}, {""}, {"", Align::left}, {"", Align::left}}, .rows = {}, .margin = "  "};
    const std::vector<PathSum> sums = summed(path);
    Duration rest{0};
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const PathSum& sum = sums[i];
        if (i + 1 >= most_sums && sums.size() > most_sums) {
            rest += sum.part.length;
            continue;
        }
        table.rows.push_back(
            {{time_text(seconds(sum.part.length)), percent_text(seconds(sum.part.length) / seconds(step)),
              fmt::format("{} x", sum.part.times),
              std::string(training::label_of(sum.part.work)) + (sum.message ? " on its way" : ""), where(sum, rank)}});
    }
    if (rest > Duration{0}) {
        table.rows.push_back({{time_text(seconds(rest)), percent_text(seconds(rest) / seconds(step)), "",
                               fmt::format("{} others", sums.size() - most_sums + 1)}});
    }
    return "\nCritical path: what the step waits for, summed up\n" + text_of(table) + route(path, rank);
}

std::string sensitivity_section(const std::vector<Sensitivity>& found) {
    if (found.empty()) {
        return "";
    }
    TextTable table{.columns = {{""}, {""}, {"", Align::left}}, .rows = {}, .margin = "  "};
    for (const Sensitivity& one : found) {
        table.rows.push_back({{change_text(one.change), time_text(one.step_seconds), one.what}});
    }
    return "\nWith 10 % more of one thing the step changes by\n" + text_of(table);
}

std::string advice_section(const AdviceList& list, const training::Memory& memory) {
    if (!memory.fits()) {
        return what_would_fit(list) + counts_of(list);
    }
    TextTable table = advice_table();
    add_rows(
        table, "What to try: one change, the step and the memory with it", list, most_advice,
        [](const Advice& a) { return a.gain > worth_it; }, "nothing: no neighbour of this layout is faster");
    const double now = static_cast<double>(memory.fullest().peak.total());
    const auto saves = [&](const Advice& a) {
        return a.gain <= worth_it && static_cast<double>(a.memory) <= (1 - worth_bytes) * now;
    };
    add_rows(table, fmt::format("Saves memory, of {} on the fullest rank, and makes nothing faster", bytes_text(now)),
             list, most_savings, saves);
    add_rows(table, "What will not help", list, most_warnings,
             [&](const Advice& a) { return a.gain <= worth_it && !saves(a); });
    return "\n" + text_of(table) + counts_of(list);
}

}  // namespace sim::explain
