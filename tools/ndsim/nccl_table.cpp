#include "tools/ndsim/nccl_table.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::tools {

using namespace planning;

using report::Align;
using report::TextColumn;
using report::TextRow;

namespace {

constexpr double giga = 1e9;
constexpr double mega = 1e6;
constexpr int pair_width = 25;  // of a time and a busbw, side by side
constexpr const char* head_margin = "# ";
constexpr const char* data_margin = "  ";

// A column as nccl-tests set it: one blank, then so many columns, to the right.
TextColumn wide(int columns, const char* heading, const char* unit = "") {
    return {heading, Align::right, 1, columns, unit};
}

int width_of_pair(const std::string& name) {
    return std::max(pair_width, static_cast<int>(name.size()) + 2);
}

bool is_side_by_side(const TableShape& shape, const std::vector<std::string>& configs) {
    return configs.size() > 1 && !shape.picked;
}

std::vector<TextColumn> columns_of(const TableShape& shape, const std::vector<std::string>& configs) {
    std::vector<TextColumn> columns{wide(12, "size", "(B)"), wide(13, "count", "(elements)"), wide(9, "type"),
                                    wide(6, "redop"), wide(6, "root")};
    if (is_side_by_side(shape, configs)) {
        for (const std::string& name : configs) {
            columns.push_back(wide(width_of_pair(name) - 12, "time", "(us)"));
            columns.push_back(wide(10, "busbw", "(GB/s)"));
        }
    } else {
        columns.insert(columns.end(),
                       {wide(14, "time", "(us)"), wide(10, "algbw", "(GB/s)"), wide(10, "busbw", "(GB/s)")});
    }
    if (shape.checked) {
        columns.push_back(wide(8, "#wrong"));
    }
    if (shape.picked) {
        columns.push_back({"algorithm", Align::left});
    }
    return columns;
}

// The names of the methods, each above its pair of columns.
std::string names_line(const std::vector<std::string>& configs) {
    std::vector<TextColumn> columns{wide(50, "")};
    TextRow names{.cells = {""}};
    for (const std::string& name : configs) {
        columns.push_back(wide(width_of_pair(name) - 1, ""));
        names.cells.push_back(name);
    }
    return line_of(columns, names, head_margin);
}

// Of all methods of a row.
std::int64_t wrong_of(const planning::SweepRow& row) {
    std::int64_t sum = 0;
    for (const planning::TimedMethod& timed : row.timed) {
        sum += timed.wrong.value_or(0);
    }
    return sum;
}

}  // namespace

std::string table_head(const TableShape& shape, const std::vector<std::string>& configs) {
    const std::vector<TextColumn> columns = columns_of(shape, configs);
    return (is_side_by_side(shape, configs) ? names_line(configs) : "") + head_of(columns, head_margin);
}

std::string table_line(const TableShape& shape, const planning::SweepRow& row) {
    const planning::CollectiveCase& what = row.what();
    TextRow line{.cells = {fmt::format("{}", what.bytes()), fmt::format("{}", what.count()), what.type.name,
                           what.reduces() ? "sum" : "none", fmt::format("{}", what.has_root() ? what.root : -1)}};
    std::vector<std::string> names;
    for (const planning::TimedMethod& timed : row.timed) {
        names.push_back(timed.name);
    }
    const bool side_by_side = is_side_by_side(shape, names);
    for (std::size_t i = 0; i < row.timed.size(); ++i) {
        const planning::TimedMethod& timed = row.timed[i];
        line.cells.push_back(fmt::format("{:.2f}", timed.seconds() * mega));
        if (!side_by_side) {
            line.cells.push_back(fmt::format("{:.4f}", timed.algorithm_bandwidth() / giga));
        }
        const char* const mark = !side_by_side ? "" : i == row.fastest ? "*" : " ";
        line.cells.push_back(fmt::format("{:.4f}{}", timed.bus_bandwidth() / giga, mark));
    }
    if (shape.checked) {
        line.cells.push_back(fmt::format("{}", wrong_of(row)));
    }
    if (shape.picked) {
        line.cells.push_back(row.best().name);
    }
    return line_of(columns_of(shape, names), line, data_margin);
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
