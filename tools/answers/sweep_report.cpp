#include "tools/answers/sweep_report.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/report/chart.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace sim::tools {

using namespace planning;
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

Json row_of(const planning::SweepRow& row, const planning::TimedMethod& timed, bool custom) {
    const planning::CollectiveCase& what = timed.what;
    Json json{{"bytes", what.bytes()},
              {"count", what.count()},
              {"type", what.type.name},
              {"redop", what.reduces() ? "sum" : "none"},
              {"root", what.has_root() ? what.root : -1}};
    if (custom || what.send_receive) {
        json["algorithm"] = timed.name;
    } else {
        add_config(json, what.config);
    }
    json["seconds"] = timed.seconds();
    json["algbw"] = timed.algorithm_bandwidth();
    json["busbw"] = timed.bus_bandwidth();
    json["messages"] = timed.time.messages;
    json["bytes_sent"] = timed.time.sent;
    json["found_by"] = name_of(timed.time.way);
    json["fastest"] = &timed == &row.best();
    if (timed.wrong) {
        json["wrong"] = *timed.wrong;
    }
    if (!row.considered.empty()) {
        json["considered"] = considered(row.considered);
    }
    return json;
}

}  // namespace

std::string sweep_json(const planning::Sweep& sweep, const std::vector<planning::SweepRow>& rows) {
    Json list = Json::array();
    for (const planning::SweepRow& row : rows) {
        for (const planning::TimedMethod& timed : row.timed) {
            list.push_back(row_of(row, timed, sweep.custom.has_value()));
        }
    }
    const Json report{{"command", "collective"},
                      {"collective", sweep.what.name()},
                      {"ranks", sweep.what.ranks},
                      {"network", sweep.cluster.name},
                      {"rows", list}};
    return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

report::Table sweep_rows(const std::vector<planning::SweepRow>& rows) {
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
                                    {"fastest"}},
                        .rows = {}};
    const auto real = [](double x) { return fmt::format("{:.12g}", x); };
    for (const planning::SweepRow& row : rows) {
        for (const planning::TimedMethod& timed : row.timed) {
            const planning::CollectiveCase& what = timed.what;
            const AlgorithmConfig& config = what.config;
            table.rows.push_back({std::to_string(what.bytes()), std::to_string(what.count()), what.type.name,
                                  what.reduces() ? "sum" : "none", std::to_string(what.has_root() ? what.root : -1),
                                  name_of(config.algorithm), std::to_string(config.channels),
                                  std::to_string(config.pieces), std::to_string(config.inner),
                                  std::to_string(config.middle), real(timed.seconds()),
                                  real(timed.algorithm_bandwidth()), real(timed.bus_bandwidth()),
                                  std::to_string(timed.time.messages), &timed == &row.best() ? "1" : "0"});
        }
    }
    return table;
}

std::string sweep_svg(const planning::Sweep& sweep, const std::vector<planning::SweepRow>& rows) {
    report::Chart chart{
        .title = fmt::format("{} on {} ranks, {}", sweep.what.name(), sweep.what.ranks, sweep.cluster.name),
        .x_title = "size, bytes",
        .y_title = "bus bandwidth, GB/s",
        .x = {},
        .curves = {}};
    for (const planning::TimedMethod& timed : rows.front().timed) {
        chart.curves.push_back({sweep.only_fastest ? "fastest" : timed.name, {}});
    }
    std::vector<const planning::SweepRow*> by_size;
    for (const planning::SweepRow& row : rows) {
        by_size.push_back(&row);
    }
    std::stable_sort(by_size.begin(), by_size.end(), [](const planning::SweepRow* a, const planning::SweepRow* b) {
        return a->what().elements < b->what().elements;
    });
    for (const planning::SweepRow* const row : by_size) {
        chart.x.push_back(row->what().bytes());
        for (std::size_t i = 0; i < row->timed.size(); ++i) {
            chart.curves[i].values.push_back(row->timed[i].bus_bandwidth() / 1e9);
        }
    }
    return report::svg_of(chart);
}

}  // namespace sim::tools
