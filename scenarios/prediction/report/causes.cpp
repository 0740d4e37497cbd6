// Why the step is as long as it is, what would change it, and what to try.
#include "scenarios/prediction/report/amounts.hpp"
#include "scenarios/prediction/report/sections.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::scenarios {

namespace {

constexpr std::size_t most_pieces = 9;
constexpr std::size_t most_advice = 6;
constexpr std::size_t most_warnings = 4;
constexpr double worth_it = 0.002;  // of the step

std::string line_of(const Advice& advice) {
    return fmt::format("  {:>8}  {:>9}  {:>9}  {:<44} # {}\n", change_text(-advice.gain),
                       time_text(advice.step_seconds), bytes_text(static_cast<double>(advice.memory)),
                       typed(advice.change), advice.text);
}

}  // namespace

std::string path_section(const std::vector<PathPiece>& path, Duration step) {
    if (path.empty()) {
        return "";
    }
    std::string text = "\nCritical path: what the step waits for, one after the other\n";
    for (const PathPiece& piece : shortened(path, most_pieces)) {
        const double length = seconds(piece.end - piece.begin);
        const std::string who =
            piece.to < 0 ? fmt::format("rank {}", piece.rank) : fmt::format("rank {} to {}", piece.rank, piece.to);
        text += fmt::format("  {:>10}  {:>10} {:>7}  {:<14} {}\n", time_text(seconds(piece.begin)), time_text(length),
                            percent_text(length / seconds(step)), who, piece.what);
    }
    return text;
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

std::string advice_section(const AdviceList& list) {
    std::string text = "\nWhat to try: one change, the step and the memory with it\n";
    std::size_t shown = 0;
    for (const Advice& advice : list.tried) {
        if (advice.gain > worth_it && shown < most_advice) {
            text += line_of(advice);
            ++shown;
        }
    }
    if (shown == 0) {
        text += "  nothing: no neighbour of this layout is faster\n";
    }
    std::string warnings;
    shown = 0;
    for (const Advice& advice : list.tried) {
        if (advice.gain <= worth_it && shown < most_warnings) {
            warnings += line_of(advice);
            ++shown;
        }
    }
    if (!warnings.empty()) {
        text += "What will not help\n" + warnings;
    }
    return text + fmt::format("  {} neighbours predicted; {} do not fit into memory, {} cannot be\n", list.tried.size(),
                              list.too_large, list.impossible);
}

}  // namespace sim::scenarios
