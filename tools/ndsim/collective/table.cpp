#include "tools/ndsim/collective/report.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim::tools {

using namespace search;

using report::Align;
using report::TextColumn;
using report::TextRow;

namespace {

constexpr double giga = 1e9;
constexpr double mega = 1e6;
constexpr int pair_width = 25;  // a time and a busbw, side by side
constexpr const char* head_margin = "# ";
constexpr const char* data_margin = "  ";

// A column laid out as in nccl-tests: one blank, then the given width, right-aligned.
TextColumn wide(int columns, const char* heading, const char* unit = "") {
    return {heading, Align::right, 1, columns, unit};
}

int width_of_pair(const std::string& name) {
    return std::max(pair_width, static_cast<int>(name.size()) + 2);
}

bool is_side_by_side(const TableShape& shape) {
    return shape.methods.size() > 1;
}

std::vector<TextColumn> columns_of(const TableShape& shape) {
    std::vector<TextColumn> columns{wide(12, "size", "(B)"), wide(13, "count", "(elements)"), wide(9, "type"),
                                    wide(6, "redop"), wide(6, "root")};
    if (is_side_by_side(shape)) {
        for (const std::string& name : shape.methods) {
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
std::string names_line(const std::vector<std::string>& methods) {
    std::vector<TextColumn> columns{wide(50, "")};
    TextRow names{.cells = {""}};
    for (const std::string& name : methods) {
        columns.push_back(wide(width_of_pair(name) - 1, ""));
        names.cells.push_back(name);
    }
    return line_of(columns, names, head_margin);
}

// The number of wrong elements, summed over the row's methods.
std::int64_t wrong_of(const SweepRow& row) {
    std::int64_t sum = 0;
    for (const TimedMethod& timed : row.timed) {
        sum += timed.wrong.value_or(0);
    }
    return sum;
}

// Only algorithms on wires compete with each other; NCCL's model next to them answers another question.
bool is_fastest_of_several(const SweepRow& row, std::size_t number) {
    const auto on_wires = std::count_if(row.timed.begin(), row.timed.end(),
                                        [](const TimedMethod& timed) { return timed.on_wires() != nullptr; });
    return on_wires > 1 && number == row.fastest;
}

std::string explanation_of(const TimedMethod& timed, const NcclTime& nccl) {
    const double latency = std::min(nccl.latency, timed.seconds());
    std::string text = fmt::format(
        "#   {}: {:.2f} us of latency, {:.2f} us for {} bytes that each rank sends on average{}\n", timed.name,
        latency * mega, (timed.seconds() - latency) * mega, nccl.sent / timed.what.ranks,
        nccl.ways.size() > 1 ? fmt::format("; {} takes what it expects to be the shortest", nccl.library) : "");
    for (const network::NcclWay& way : nccl.ways) {
        text += fmt::format("#     {}: {:.2f} us expected\n", network::nccl_name(way.algorithm, way.protocol),
                            way.expected * mega);
    }
    return text;
}

}  // namespace

std::string table_head(const TableShape& shape) {
    return (is_side_by_side(shape) ? names_line(shape.methods) : "") + head_of(columns_of(shape), head_margin);
}

std::string table_line(const TableShape& shape, const SweepRow& row) {
    const CollectiveCase& what = row.what();
    TextRow line{.cells = {fmt::format("{}", what.bytes()), fmt::format("{}", what.count()), what.type.name,
                           what.reduces() ? "sum" : "none", fmt::format("{}", what.has_root() ? what.root : -1)}};
    const bool side_by_side = is_side_by_side(shape);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < row.timed.size(); ++i) {
        const TimedMethod& timed = row.timed[i];
        names.push_back(timed.name);
        line.cells.push_back(fmt::format("{:.2f}", timed.seconds() * mega));
        if (!side_by_side) {
            line.cells.push_back(fmt::format("{:.4f}", timed.algorithm_bandwidth() / giga));
        }
        const char* const mark = !side_by_side ? "" : is_fastest_of_several(row, i) ? "*" : " ";
        line.cells.push_back(fmt::format("{:.4f}{}", timed.bus_bandwidth() / giga, mark));
    }
    if (shape.checked) {
        line.cells.push_back(fmt::format("{}", wrong_of(row)));
    }
    if (shape.picked) {
        line.cells.push_back(fmt::format("{}", fmt::join(names, "; ")));
    }
    return line_of(columns_of(shape), line, data_margin);
}

std::string table_foot(const TableShape& shape, const std::vector<SweepRow>& rows) {
    std::string foot;
    if (rows.empty()) {
        return foot;
    }
    for (std::size_t i = 0; i < shape.methods.size(); ++i) {
        double sum = 0;
        for (const SweepRow& row : rows) {
            sum += row.timed[i].bus_bandwidth() / giga;
        }
        foot += fmt::format("# Avg bus bandwidth{}: {:.4f}\n",
                            is_side_by_side(shape) ? fmt::format(", {}", shape.methods[i]) : "",
                            sum / static_cast<double>(rows.size()));
    }
    return foot;
}

std::string explanation(const SweepRow& row) {
    std::string text;
    for (const TimedMethod& timed : row.timed) {
        if (const NcclTime* const nccl = timed.by_nccl()) {
            text += explanation_of(timed, *nccl);
        } else {
            const CollectiveTime& found = *timed.on_wires();
            text += fmt::format("#   {}: {}, for {} messages: {}\n", timed.name, name_of(found.way), found.messages,
                                found.why);
        }
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
