#include "scenarios/report/bandwidth_report.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/report/plot.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sim::scenarios {

using namespace command_line;
using namespace search;
using namespace report;

namespace {

using Json = nlohmann::ordered_json;

constexpr double giga = 1e9;

std::string heading(const command_line::RunOptions& options, const CollectiveCase& what) {
    const bool reduces_all = what.kind == CollectiveKind::all_reduce;
    return fmt::format("{}{}{} of floats on {} ranks, profile {}", reduces_all ? text_of(what.config) : "",
                       reduces_all ? " " : "", name_of(what.kind), options.ranks, options.profile);
}

std::string size_text(std::int64_t bytes) {
    const auto b = static_cast<double>(bytes);
    return bytes < 1'000       ? fmt::format("{} B", bytes)
           : bytes < 1'000'000 ? fmt::format("{:.4g} kB", b / 1e3)
           : b < giga          ? fmt::format("{:.4g} MB", b / 1e6)
                               : fmt::format("{:.4g} GB", b / giga);
}

// As nccl-tests set them: one blank, then the width, to the right.
std::vector<TextColumn> columns_of(bool checked) {
    const auto wide = [](int width, const char* heading, const char* unit) {
        return TextColumn{heading, Align::right, 1, width, unit};
    };
    return {wide(12, "size", "(B)"),     wide(13, "count", "(elements)"),
            wide(8, "type", ""),         wide(7, "redop", ""),
            wide(14, "time", "(us)"),    wide(10, "algbw", "(GB/s)"),
            wide(10, "busbw", "(GB/s)"), wide(8, checked ? "#wrong" : "", "")};
}

}  // namespace

std::string bandwidth_table(const command_line::RunOptions& options, const std::vector<Timed>& rows) {
    const bool checked = rows.front().wrong.has_value();
    const std::vector<TextColumn> columns = columns_of(checked);
    std::string lines;
    report::Plot plot;
    report::Curve bus;
    double sum = 0;
    for (const Timed& row : rows) {
        const double busbw = row.bus_bandwidth() / giga;
        lines += line_of(columns,
                         {.cells = {fmt::format("{}", row.what.bytes()), fmt::format("{}", row.what.count()), "float",
                                    row.what.reduces() ? "sum" : "none", fmt::format("{:.2f}", seconds(row.end) * 1e6),
                                    fmt::format("{:.4f}", row.algorithm_bandwidth() / giga),
                                    fmt::format("{:.4f}", busbw), checked ? fmt::format("{}", *row.wrong) : ""}},
                         "  ");
        plot.x.push_back(size_text(row.what.bytes()));
        bus.values.push_back(busbw);
        sum += busbw;
    }
    plot.curves = {bus};
    return fmt::format("# {}\n#\n", heading(options, rows.front().what)) + head_of(columns, "# ") + lines +
           fmt::format("# Avg bus bandwidth: {:.4f}\n\nbus bandwidth, GB/s, over size\n",
                       sum / static_cast<double>(rows.size())) +
           report::draw(plot);
}

report::Table bandwidth_rows(const std::vector<Timed>& rows) {
    using report::Cells;
    report::Table table{.columns = {{"bytes"},
                                    {"count"},
                                    {"type", report::Cells::names},
                                    {"redop", report::Cells::names},
                                    {"algorithm", report::Cells::names},
                                    {"seconds"},
                                    {"algbw"},
                                    {"busbw"},
                                    {"wrong"}},
                        .rows = {}};
    for (const Timed& row : rows) {
        table.rows.push_back(
            {std::to_string(row.what.bytes()), std::to_string(row.what.count()), "float",
             row.what.reduces() ? "sum" : "none", text_of(row.what.config), fmt::format("{:.12g}", seconds(row.end)),
             fmt::format("{:.12g}", row.algorithm_bandwidth()), fmt::format("{:.12g}", row.bus_bandwidth()),
             row.wrong ? std::to_string(*row.wrong) : ""});
    }
    return table;
}

std::string bandwidth_json(const command_line::RunOptions& options, const std::vector<Timed>& rows) {
    Json list = Json::array();
    for (const Timed& row : rows) {
        list.push_back({{"bytes", row.what.bytes()},
                        {"count", row.what.count()},
                        {"type", "float"},
                        {"redop", row.what.reduces() ? "sum" : "none"},
                        {"algorithm", text_of(row.what.config)},
                        {"seconds", seconds(row.end)},
                        {"algbw", row.algorithm_bandwidth()},
                        {"busbw", row.bus_bandwidth()}});
        if (row.wrong) {
            list.back()["wrong"] = *row.wrong;
        }
    }
    const Json report{{"scenario", "communication_profile"},
                      {"collective", name_of(rows.front().what.kind)},
                      {"host", name_of(options.host)},
                      {"profile", options.profile},
                      {"ranks", options.ranks},
                      {"rows", list}};
    return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sim::scenarios
