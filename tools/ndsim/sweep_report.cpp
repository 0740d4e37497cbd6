#include "tools/ndsim/sweep_report.hpp"

#include "libsim/report/chart.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace sim::scenarios {

namespace {

using Json = nlohmann::ordered_json;

constexpr double giga = 1e9;

void add_method(Json& row, const Method& method) {
    row["algorithm"] = name_of(method.algorithm);
    row["channels"] = method.channels;
    for (const auto& [name, value] :
         {std::pair{"pieces", method.pieces}, {"inner", method.inner}, {"middle", method.middle}}) {
        if (value != 0) {
            row[name] = value;
        }
    }
}

Json considered(const std::vector<Prediction>& all) {
    Json list = Json::array();
    for (const Prediction& prediction : all) {
        Json one;
        add_method(one, prediction.method);
        if (prediction.time) {
            one["seconds"] = seconds(prediction.time->end());
        } else {
            one["seconds_at_least"] = seconds(prediction.at_least);
        }
        list.push_back(one);
    }
    return list;
}

Json row_of(const SweepRow& row, const TimedMethod& timed, bool custom) {
    const CollectiveCase& what = timed.what;
    Json json{{"bytes", what.bytes()},
              {"count", what.count()},
              {"type", what.type.name},
              {"redop", what.reduces() ? "sum" : "none"},
              {"root", what.has_root() ? what.root : -1}};
    if (custom || what.send_receive) {
        json["algorithm"] = timed.name;
    } else {
        add_method(json, what.method);
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

std::string sweep_json(const Sweep& sweep, const std::vector<SweepRow>& rows) {
    Json list = Json::array();
    for (const SweepRow& row : rows) {
        for (const TimedMethod& timed : row.timed) {
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

std::string sweep_csv(const std::vector<SweepRow>& rows) {
    std::string text =
        "bytes,count,type,redop,root,algorithm,channels,pieces,inner,middle,seconds,algbw,busbw,messages,fastest\n";
    for (const SweepRow& row : rows) {
        for (const TimedMethod& timed : row.timed) {
            const CollectiveCase& what = timed.what;
            text +=
                fmt::format("{},{},{},{},{},{},{},{},{},{},{:.12g},{:.12g},{:.12g},{},{}\n", what.bytes(), what.count(),
                            what.type.name, what.reduces() ? "sum" : "none", what.has_root() ? what.root : -1,
                            name_of(what.method.algorithm), what.method.channels, what.method.pieces, what.method.inner,
                            what.method.middle, timed.seconds(), timed.algorithm_bandwidth(), timed.bus_bandwidth(),
                            timed.time.messages, &timed == &row.best() ? 1 : 0);
        }
    }
    return text;
}

std::string sweep_svg(const Sweep& sweep, const std::vector<SweepRow>& rows) {
    Chart chart{.title = fmt::format("{} on {} ranks, {}", sweep.what.name(), sweep.what.ranks, sweep.cluster.name),
                .x_title = "size, bytes",
                .y_title = "bus bandwidth, GB/s",
                .x = {},
                .curves = {}};
    for (const TimedMethod& timed : rows.front().timed) {
        chart.curves.push_back({sweep.only_fastest ? "fastest" : timed.name, {}});
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
            chart.curves[i].values.push_back(row->timed[i].bus_bandwidth() / giga);
        }
    }
    return svg_of(chart);
}

}  // namespace sim::scenarios
