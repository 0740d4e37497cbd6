// Why the step is as long as it is, what would change it, and what to try.
#include "libsim/planning/report/amounts.hpp"
#include "libsim/planning/report/sections.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim::planning {

namespace {

constexpr std::size_t most_sums = 8;
constexpr std::size_t most_turns = 12;
constexpr std::size_t most_advice = 6;
constexpr std::size_t most_savings = 4;
constexpr std::size_t most_warnings = 4;
constexpr double worth_it = 0.002;    // of the step
constexpr double worth_bytes = 0.02;  // of the fullest rank's memory

std::string line_of(const Advice& advice) {
    return fmt::format("  {:>8}  {:>9}  {:>9}  {:<44} # {}\n", change_text(-advice.gain),
                       time_text(advice.step_seconds), bytes_text(static_cast<double>(advice.memory)),
                       typed(advice.change), advice.text);
}

template <typename Predicate>
std::string lines_of(const AdviceList& list, std::size_t most, Predicate&& is_shown) {
    std::string text;
    std::size_t shown = 0;
    for (const Advice& advice : list.tried) {
        if (shown < most && is_shown(advice)) {
            text += line_of(advice);
            ++shown;
        }
    }
    return text;
}

std::string what_would_fit(const AdviceList& list) {
    const std::string lines = lines_of(list, most_advice, [](const Advice&) { return true; });
    return "\nWhat would fit: a change, the step and the memory with it; the fastest first\n" +
           (lines.empty() ? "  none of this layout's neighbours; ndsim plan looks at all layouts, and says how many "
                            "GPUs would do\n"
                          : lines);
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
    std::string text = "\nCritical path: what the step waits for, summed up\n";
    const std::vector<PathSum> sums = summed(path);
    Duration rest{0};
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const PathSum& sum = sums[i];
        if (i + 1 >= most_sums && sums.size() > most_sums) {
            rest += sum.part.length;
            continue;
        }
        text += fmt::format("  {:>9} {:>7} {:>6} x  {:<40} {}\n", time_text(seconds(sum.part.length)),
                            percent_text(seconds(sum.part.length) / seconds(step)), sum.part.times,
                            std::string(training::label_of(sum.part.work)) + (sum.message ? " on its way" : ""),
                            where(sum, rank));
    }
    if (rest > Duration{0}) {
        text += fmt::format("  {:>9} {:>7}           {} others\n", time_text(seconds(rest)),
                            percent_text(seconds(rest) / seconds(step)), sums.size() - most_sums + 1);
    }
    return text + route(path, rank);
}

std::string sensitivity_section(const std::vector<Sensitivity>& found) {
    if (found.empty()) {
        return "";
    }
    std::string text = "\nWith 10 % more of one thing the step changes by\n";
    for (const Sensitivity& one : found) {
        text += fmt::format("  {:>8}  {:>9}  {}\n", change_text(one.change), time_text(one.step_seconds), one.what);
    }
    return text;
}

std::string advice_section(const AdviceList& list, const training::Memory& memory) {
    if (!memory.fits()) {
        return what_would_fit(list) + counts_of(list);
    }
    std::string text = "\nWhat to try: one change, the step and the memory with it\n";
    const std::string gains = lines_of(list, most_advice, [](const Advice& a) { return a.gain > worth_it; });
    text += gains.empty() ? "  nothing: no neighbour of this layout is faster\n" : gains;
    const double now = static_cast<double>(memory.fullest().peak.total());
    const auto saves = [&](const Advice& a) {
        return a.gain <= worth_it && static_cast<double>(a.memory) <= (1 - worth_bytes) * now;
    };
    if (const std::string lines = lines_of(list, most_savings, saves); !lines.empty()) {
        text +=
            fmt::format("Saves memory, of {} on the fullest rank, and makes nothing faster\n", bytes_text(now)) + lines;
    }
    const std::string losses =
        lines_of(list, most_warnings, [&](const Advice& a) { return a.gain <= worth_it && !saves(a); });
    if (!losses.empty()) {
        text += "What will not help\n" + losses;
    }
    return text + counts_of(list);
}

}  // namespace sim::planning
