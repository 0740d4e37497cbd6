#include "scenarios/report/bandwidth_report.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/plot.hpp"
#include "libsim/report/record.hpp"
#include "libsim/report/text_table.hpp"
#include "scenarios/report/run_records.hpp"

#include <fmt/format.h>

namespace sim::scenarios {

using namespace command_line;
using namespace search;
using namespace report;
using namespace report::keys;

namespace {

constexpr double giga = 1e9;
constexpr const char* program = "communication_profile";
constexpr const char* type_of_elements = "float";

std::string heading(const RunOptions& options, const CollectiveCase& what) {
    const bool reduces_all = what.kind == CollectiveKind::all_reduce;
    return fmt::format("{}{}{} of floats on {} ranks, profile {}", reduces_all ? text_of(what.config) : "",
                       reduces_all ? " " : "", name_of(what.kind), options.ranks, options.profile);
}

// As in nccl-tests: one blank, then right-aligned to the width.
std::vector<TextColumn> columns_of(bool checked) {
    const auto wide = [](int width, const char* heading, const char* unit) {
        return TextColumn{heading, Align::right, 1, width, unit};
    };
    return {wide(12, "size", "(B)"),     wide(13, "count", "(elements)"),
            wide(8, "type", ""),         wide(7, "redop", ""),
            wide(14, "time", "(us)"),    wide(10, "algbw", "(GB/s)"),
            wide(10, "busbw", "(GB/s)"), wide(8, checked ? "#wrong" : "", "")};
}

const char* reduction_of(const Timed& row) {
    return row.what.reduces() ? "sum" : "none";
}

const Record<Timed>& timed_record() {
    static const Record<Timed> record(
        "One size.",
        {whole<Timed>("bytes", "Bytes of the whole array on a rank, as nccl-tests counts them.",
                      [](const Timed& row) { return row.what.bytes(); }),
         whole<Timed>("count", "Elements that nccl-tests would show: of the array, or of one rank's part.",
                      [](const Timed& row) { return row.what.count(); }),
         name<Timed>("type", "Type of the elements.", [](const Timed&) { return type_of_elements; }),
         one_of<Timed>("redop", {"sum", "none"}, "Reduction operation.", reduction_of),
         name<Timed>("algorithm", "The algorithm that was timed.",
                     [](const Timed& row) { return text_of(row.what.config); }),
         number<Timed>("seconds", "Simulated seconds until the last rank has finished.",
                       [](const Timed& row) { return seconds(row.end); }),
         number<Timed>("algbw", "Algorithm bandwidth: bytes / seconds, in bytes per second.",
                       &Timed::algorithm_bandwidth),
         number<Timed>("busbw", "Bus bandwidth as nccl-tests defines it, in bytes per second.", &Timed::bus_bandwidth),
         only_if(whole<Timed>("wrong", "Numbers that were wrong on any rank; only with --check.",
                              [](const Timed& row) { return *row.wrong; }),
                 [](const Timed& row) { return row.wrong.has_value(); })});
    return record;
}

struct Bandwidths {
    const RunOptions& options;
    const std::vector<Timed>& rows;
};

const Record<Bandwidths>& bandwidths_record() {
    using All = Bandwidths;
    static const Record<All> record(
        "Times of a collective, by size.",
        joined<All>(
            {{name<All>("scenario", "communication_profile.", [](const All&) { return program; }),
              name<All>("collective", "The collective that was timed.",
                        [](const All& of) { return name_of(of.rows.front().what.kind); })},
             fields_of<All>(asked_record().fields({"host", "profile", "ranks"}),
                            [](const All& of) -> const RunOptions& { return of.options; }),
             {list_of<All>("rows", "A row for each size.", timed_record(), [](const All& of) { return of.rows; })}}));
    return record;
}

}  // namespace

std::string bandwidth_table(const RunOptions& options, const std::vector<Timed>& rows) {
    const bool checked = rows.front().wrong.has_value();
    const std::vector<TextColumn> columns = columns_of(checked);
    std::string lines;
    Plot plot;
    Curve bus;
    double sum = 0;
    for (const Timed& row : rows) {
        const double busbw = row.bus_bandwidth() / giga;
        lines += line_of(columns,
                         {.cells = {fmt::format("{}", row.what.bytes()), fmt::format("{}", row.what.count()),
                                    type_of_elements, reduction_of(row), fmt::format("{:.2f}", seconds(row.end) * 1e6),
                                    fmt::format("{:.4f}", row.algorithm_bandwidth() / giga),
                                    fmt::format("{:.4f}", busbw), checked ? fmt::format("{}", *row.wrong) : ""}},
                         "  ");
        plot.x.push_back(bytes_text(row.what.bytes(), 4));
        bus.values.push_back(busbw);
        sum += busbw;
    }
    plot.curves = {bus};
    return fmt::format("# {}\n#\n", heading(options, rows.front().what)) + head_of(columns, "# ") + lines +
           fmt::format("# Avg bus bandwidth: {:.4f}\n\nbus bandwidth, GB/s, over size\n",
                       sum / static_cast<double>(rows.size())) +
           draw(plot);
}

Table bandwidth_rows(const std::vector<Timed>& rows) {
    return timed_record().table(rows);
}

std::string bandwidth_json(const RunOptions& options, const std::vector<Timed>& rows) {
    return json_line(bandwidths_record().json({options, rows}));
}

SchemaText bandwidth_schema() {
    return schema_of_result(program, fmt::format("What {} prints with --json", program), bandwidths_record().schema());
}

SchemaText bandwidth_columns() {
    return columns_of_program(program, {{.columns = timed_record().columns()}});
}

}  // namespace sim::scenarios
