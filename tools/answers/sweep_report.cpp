#include "tools/answers/sweep_report.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/report/chart.hpp"
#include "tools/answers/collective_machine.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace sim::tools {

using namespace search;
using namespace report;

namespace {

using Json = nlohmann::ordered_json;

void add_config(Json& row, const AlgorithmConfig& config) {
    row["algorithm"] = name_of(config.algorithm);
    row["channels"] = config.channels;
    for (const auto& [name, value] :
         {std::pair{"pieces", config.pieces}, {"inner", config.inner}, {"middle", config.middle}}) {
        if (value != 0) {
            row[name] = value;
        }
    }
}

Json considered(const std::vector<CandidateTime>& all) {
    Json list = Json::array();
    for (const CandidateTime& prediction : all) {
        Json one;
        add_config(one, prediction.config);
        if (prediction.time) {
            one["seconds"] = seconds(prediction.time->end());
        } else {
            one["seconds_at_least"] = seconds(prediction.at_least);
        }
        list.push_back(one);
    }
    return list;
}

// How it was timed, as --timing names it.
const char* timing_of(const TimedMethod& timed) {
    return timed.by_nccl() != nullptr ? "nccl" : "wire";
}

bool is_fastest(const SweepRow& row, const TimedMethod& timed) {
    return timed.by_nccl() != nullptr || &timed == &row.best();
}

void add_method(Json& json, const TimedMethod& timed, bool custom) {
    if (const NcclTime* const nccl = timed.by_nccl()) {
        json["algorithm"] = nccl->algorithm;
        json["protocol"] = nccl->protocol;
    } else if (custom || timed.what.send_receive) {
        json["algorithm"] = timed.name;
    } else {
        add_config(json, timed.what.config);
    }
}

Json row_of(const SweepRow& row, const TimedMethod& timed, bool custom) {
    const CollectiveCase& what = timed.what;
    Json json{{"bytes", what.bytes()},
              {"count", what.count()},
              {"type", what.type.name},
              {"redop", what.reduces() ? "sum" : "none"},
              {"root", what.has_root() ? what.root : -1},
              {"timing", timing_of(timed)}};
    add_method(json, timed, custom);
    json["seconds"] = timed.seconds();
    json["algbw"] = timed.algorithm_bandwidth();
    json["busbw"] = timed.bus_bandwidth();
    if (const NcclTime* const nccl = timed.by_nccl()) {
        json["bytes_sent"] = nccl->sent;
        json["found_by"] = "NCCL's model";
    } else {
        const CollectiveTime& found = *timed.on_wires();
        json["messages"] = found.messages;
        json["bytes_sent"] = found.sent;
        json["found_by"] = name_of(found.way);
    }
    json["fastest"] = is_fastest(row, timed);
    if (timed.wrong) {
        json["wrong"] = *timed.wrong;
    }
    if (timed.on_wires() != nullptr && !row.considered.empty()) {
        json["considered"] = considered(row.considered);
    }
    return json;
}

// The cells of a method between the root and the seconds.
std::vector<std::string> method_cells(const TimedMethod& timed) {
    if (const NcclTime* const nccl = timed.by_nccl()) {
        return {nccl->algorithm, "", "", "", ""};
    }
    const AlgorithmConfig& config = timed.what.config;
    return {name_of(config.algorithm), std::to_string(config.channels), std::to_string(config.pieces),
            std::to_string(config.inner), std::to_string(config.middle)};
}

}  // namespace

std::string sweep_json(const Sweep& sweep, const std::vector<SweepRow>& rows) {
    Json list = Json::array();
    for (const SweepRow& row : rows) {
        for (const TimedMethod& timed : row.timed) {
            list.push_back(row_of(row, timed, sweep.custom.has_value()));
        }
    }
    Json report{{"command", "collective"},
                {"collective", sweep.what.name()},
                {"ranks", sweep.what.ranks},
                {"network", sweep.cluster.name}};
    if (sweep.machine) {
        report["nodes"] = sweep.machine->nodes;
        report["ranks_per_node"] = sweep.machine->on_node;
    }
    report["rows"] = std::move(list);
    return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

report::Table sweep_rows(const std::vector<SweepRow>& rows) {
    using report::Cells;
    report::Table table{.columns = {{"bytes"},
                                    {"count"},
                                    {"type", report::Cells::names},
                                    {"redop", report::Cells::names},
                                    {"root"},
                                    {"algorithm", report::Cells::names},
                                    {"channels"},
                                    {"pieces"},
                                    {"inner"},
                                    {"middle"},
                                    {"seconds"},
                                    {"algbw"},
                                    {"busbw"},
                                    {"messages"},
                                    {"fastest"},
                                    {"timing", report::Cells::names},
                                    {"protocol", report::Cells::names}},
                        .rows = {}};
    const auto real = [](double x) { return fmt::format("{:.12g}", x); };
    for (const SweepRow& row : rows) {
        for (const TimedMethod& timed : row.timed) {
            const CollectiveCase& what = timed.what;
            const NcclTime* const nccl = timed.by_nccl();
            std::vector<std::string> cells{std::to_string(what.bytes()), std::to_string(what.count()), what.type.name,
                                           what.reduces() ? "sum" : "none",
                                           std::to_string(what.has_root() ? what.root : -1)};
            const std::vector<std::string> method = method_cells(timed);
            cells.insert(cells.end(), method.begin(), method.end());
            cells.insert(cells.end(),
                         {real(timed.seconds()), real(timed.algorithm_bandwidth()), real(timed.bus_bandwidth()),
                          nccl != nullptr ? "" : std::to_string(timed.on_wires()->messages),
                          is_fastest(row, timed) ? "1" : "0", timing_of(timed), nccl != nullptr ? nccl->protocol : ""});
            table.rows.push_back(std::move(cells));
        }
    }
    return table;
}

std::string sweep_svg(const Sweep& sweep, const std::vector<SweepRow>& rows) {
    report::Chart chart{.title = fmt::format("{} on {}", sweep.what.name(), place_text(sweep)),
                        .x_title = "size, bytes",
                        .y_title = "bus bandwidth, GB/s",
                        .x = {},
                        .curves = {}};
    for (const std::string& method : sweep.methods()) {
        chart.curves.push_back({method, {}});
    }
    std::vector<const SweepRow*> by_size;
    for (const SweepRow& row : rows) {
        by_size.push_back(&row);
    }
    std::stable_sort(by_size.begin(), by_size.end(),
                     [](const SweepRow* a, const SweepRow* b) { return a->what().elements < b->what().elements; });
    for (const SweepRow* const row : by_size) {
        chart.x.push_back(row->what().bytes());
        for (std::size_t i = 0; i < row->timed.size(); ++i) {
            chart.curves[i].values.push_back(row->timed[i].bus_bandwidth() / 1e9);
        }
    }
    return report::svg_of(chart);
}

}  // namespace sim::tools
