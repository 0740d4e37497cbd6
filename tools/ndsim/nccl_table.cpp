#include "tools/ndsim/nccl_table.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::tools {

using namespace planning;

namespace {

constexpr double giga = 1e9;
constexpr double mega = 1e6;
constexpr std::size_t pair_width = 25;  // of a time and a busbw, side by side

std::string left_columns(const planning::CollectiveCase& what) {
    return fmt::format("{:>12} {:>13} {:>9} {:>6} {:>6}", what.bytes(), what.count(), what.type.name,
                       what.reduces() ? "sum" : "none", what.has_root() ? what.root : -1);
}

std::string side_by_side_head(const std::vector<std::string>& configs, bool checked) {
    std::string names = fmt::format("#{:51}", "");
    std::string columns = fmt::format("# {:>12} {:>13} {:>9} {:>6} {:>6}", "size", "count", "type", "redop", "root");
    std::string units = fmt::format("# {:>12} {:>13} {:>9} {:>6} {:>6}", "(B)", "(elements)", "", "", "");
    for (const std::string& name : configs) {
        const std::size_t width = std::max(pair_width, name.size() + 2);
        names += fmt::format("{:>{}}", name, width);
        columns += fmt::format("{:>{}} {:>10}", "time", width - 11, "busbw");
        units += fmt::format("{:>{}} {:>10}", "(us)", width - 11, "(GB/s)");
    }
    return names + "\n" + columns + (checked ? "   #wrong" : "") + "\n" + units + "\n";
}

std::string side_by_side_line(const planning::SweepRow& row) {
    std::string line = "  " + left_columns(row.what());
    for (std::size_t i = 0; i < row.timed.size(); ++i) {
        const planning::TimedMethod& timed = row.timed[i];
        const std::size_t width = std::max(pair_width, timed.name.size() + 2);
        line += fmt::format("{:>{}.2f} {:>9.4f}{}", timed.seconds() * mega, width - 11, timed.bus_bandwidth() / giga,
                            i == row.fastest ? "*" : " ");
    }
    return line;
}

// "   #wrong" of all methods of a row.
std::string wrong_of(const planning::SweepRow& row) {
    std::int64_t sum = 0;
    for (const planning::TimedMethod& timed : row.timed) {
        sum += timed.wrong.value_or(0);
    }
    return fmt::format(" {:>8}", sum);
}

}  // namespace

std::string table_head(const TableShape& shape, const std::vector<std::string>& configs) {
    if (configs.size() > 1 && !shape.picked) {
        return side_by_side_head(configs, shape.checked);
    }
    const char* const columns = "# {:>12} {:>13} {:>9} {:>6} {:>6} {:>14} {:>10} {:>10}{}{}\n";
    return fmt::format(fmt::runtime(columns), "size", "count", "type", "redop", "root", "time", "algbw", "busbw",
                       shape.checked ? "   #wrong" : "", shape.picked ? "  algorithm" : "") +
           fmt::format(fmt::runtime(columns), "(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "", "");
}

std::string table_line(const TableShape& shape, const planning::SweepRow& row) {
    if (row.timed.size() > 1) {
        const std::string line = side_by_side_line(row) + (shape.checked ? wrong_of(row) : "");
        return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    const planning::TimedMethod& timed = row.best();
    return fmt::format("  {} {:>14.2f} {:>10.4f} {:>10.4f}{}{}\n", left_columns(row.what()), timed.seconds() * mega,
                       timed.algorithm_bandwidth() / giga, timed.bus_bandwidth() / giga,
                       shape.checked ? wrong_of(row) : "", shape.picked ? "  " + timed.name : "");
}

std::string table_foot(const std::vector<planning::SweepRow>& rows) {
    std::string foot;
    if (rows.empty()) {
        return foot;
    }
    const std::size_t configs = rows.front().timed.size();
    for (std::size_t i = 0; i < configs; ++i) {
        double sum = 0;
        for (const planning::SweepRow& row : rows) {
            sum += row.timed[i].bus_bandwidth() / giga;
        }
        foot += fmt::format("# Avg bus bandwidth{}: {:.4f}\n",
                            configs == 1 ? "" : fmt::format(", {}", rows.front().timed[i].name),
                            sum / static_cast<double>(rows.size()));
    }
    return foot;
}

std::string explanation(const planning::SweepRow& row) {
    std::string text;
    for (const planning::TimedMethod& timed : row.timed) {
        text += fmt::format("#   {}: {}, for {} messages: {}\n", timed.name, name_of(timed.time.way),
                            timed.time.messages, timed.time.why);
    }
    for (const CandidateTime& other : row.considered) {
        const std::string name = text_of(other.config);
        if (other.time) {
            text += fmt::format("#     {}: {:.2f} us, {}\n", name, seconds(other.time->end()) * mega,
                                name_of(other.time->way));
        } else {
            text += fmt::format("#     {}: not timed, its own messages take {:.2f} us or more\n", name,
                                seconds(other.at_least) * mega);
        }
    }
    return text;
}

}  // namespace sim::tools
