// Records as JSON are the format in which a learner's program in any language passes them to `ndsim lab`.
#include "ranks/lab/record.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace sim::lab {

namespace {

using Json = nlohmann::ordered_json;

Time time_at(const Json& picoseconds) {
    return Time{Duration{picoseconds.get<std::int64_t>()}};
}
std::int64_t picoseconds(Time time) {
    return time.time_since_epoch().count();
}

Json json_of(const trace::Span& span) {
    return {span.rank,
            static_cast<int>(span.kind),
            static_cast<int>(span.stream),
            span.op_number,
            *span.label,
            span.peer,
            span.tag,
            static_cast<int>(span.measure),
            span.amount,
            picoseconds(span.begin),
            picoseconds(span.end),
            span.idle.count(),
            span.message};
}

// Its label lives only as long as `label`.
trace::Span span_from(const Json& json, const std::string& label) {
    return {.rank = json.at(0),
            .kind = static_cast<OpKind>(json.at(1).get<int>()),
            .stream = static_cast<Stream>(json.at(2).get<int>()),
            .op_number = json.at(3),
            .label = &label,
            .peer = json.at(5),
            .tag = json.at(6),
            .measure = static_cast<Measure>(json.at(7).get<int>()),
            .amount = json.at(8),
            .begin = time_at(json.at(9)),
            .end = time_at(json.at(10)),
            .idle = Duration{json.at(11).get<std::int64_t>()},
            .message = json.at(12)};
}

Json json_of(const trace::RankTotals& totals) {
    return {totals.compute.count(),
            totals.communication.count(),
            totals.idle.count(),
            totals.idle_in_collectives.count(),
            picoseconds(totals.end),
            totals.bytes_sent,
            totals.billionths_sent,
            totals.messages_sent,
            totals.peak_bytes,
            totals.peak_billionths,
            totals.ops};
}

trace::RankTotals totals_from(const Json& json) {
    return {.compute = Duration{json.at(0).get<std::int64_t>()},
            .communication = Duration{json.at(1).get<std::int64_t>()},
            .idle = Duration{json.at(2).get<std::int64_t>()},
            .idle_in_collectives = Duration{json.at(3).get<std::int64_t>()},
            .end = time_at(json.at(4)),
            .bytes_sent = json.at(5),
            .billionths_sent = json.at(6),
            .messages_sent = json.at(7),
            .peak_bytes = json.at(8),
            .peak_billionths = json.at(9),
            .ops = json.at(10)};
}

Json json_of(const Record& record) {
    const ranks::Fault& fault = *record.fault;
    Json ops = Json::array();
    for (std::size_t i = 0; i < fault.ops.size(); ++i) {
        const kernel::WrongOp& op = fault.ops[i];
        const Line line = i < record.lines.size() ? record.lines[i] : Line{};
        ops.push_back({{"rank", op.rank},
                       {"op", op.op_number},
                       {"what", op.what},
                       {"why", op.why},
                       {"waits_for", op.waits_for},
                       {"kind", static_cast<int>(op.kind)},
                       {"missing", op.missing},
                       {"near_miss", op.near_miss},
                       {"file", line.file},
                       {"line", line.number}});
    }
    return {{"failure", static_cast<int>(fault.failure)},
            {"mistake", static_cast<int>(fault.mistake)},
            {"rank", fault.rank},
            {"signal", fault.signal},
            {"message", fault.message},
            {"ops", ops}};
}

void read_fault(const Json& json, Record& record) {
    ranks::Fault fault{.failure = static_cast<ranks::Failure>(json.at("failure").get<int>()),
                       .mistake = static_cast<ranks::Mistake>(json.at("mistake").get<int>()),
                       .rank = json.at("rank"),
                       .signal = json.at("signal"),
                       .message = json.at("message")};
    for (const Json& op : json.at("ops")) {
        fault.ops.push_back({.rank = op.at("rank"),
                             .op_number = op.at("op"),
                             .what = op.at("what"),
                             .why = op.at("why"),
                             .waits_for = op.at("waits_for"),
                             .kind = static_cast<OpKind>(op.at("kind").get<int>()),
                             .missing = op.at("missing"),
                             .near_miss = op.at("near_miss")});
        record.lines.push_back({op.at("file"), op.at("line")});
    }
    record.timeline.fault = fault.message;
    record.timeline.fault_rank = fault.rank;
    record.fault = std::move(fault);
}

Json whole_json_of(const Record& record) {
    Json spans = Json::array();
    for (const trace::Span& span : record.timeline.spans) {
        spans.push_back(json_of(span));
    }
    Json totals = Json::array();
    for (const trace::RankTotals& each : record.timeline.totals) {
        totals.push_back(json_of(each));
    }
    Json reports = Json::object();
    for (const auto& [name, by_rank] : record.reports) {
        Json values = Json::array();
        for (const auto& [rank, numbers] : by_rank) {
            values.push_back({rank, numbers});
        }
        reports[name] = values;
    }
    return {{"ranks", record.timeline.ranks},
            {"end", picoseconds(record.timeline.end)},
            {"messages", record.messages},
            {"timeline_sha256", record.timeline_sha256},
            {"fault", record.fault ? json_of(record) : Json()},
            {"totals", totals},
            {"spans", spans},
            {"reports", reports}};
}

Record record_from(const Json& json) {
    Record record;
    report::Timeline& timeline = record.timeline;
    timeline.ranks = json.at("ranks");
    timeline.end = time_at(json.at("end"));
    record.messages = json.at("messages");
    record.timeline_sha256 = json.at("timeline_sha256");
    if (!json.at("fault").is_null()) {
        read_fault(json.at("fault"), record);
    }
    for (const Json& each : json.at("totals")) {
        timeline.totals.push_back(totals_from(each));
    }
    for (const Json& each : json.at("spans")) {
        // Each label keeps one address, as in a run.
        const std::string* label = timeline.labels.keep_text(each.at(4));
        timeline.spans.push_back(span_from(each, *label));
    }
    for (const auto& [name, values] : json.at("reports").items()) {
        for (const Json& each : values) {
            std::vector<double>& numbers = record.reports[name][each.at(0).get<int>()];
            for (const Json& number : each.at(1)) {
                // JSON has no number for these values.
                numbers.push_back(number.is_null() ? std::numeric_limits<double>::quiet_NaN() : number.get<double>());
            }
        }
    }
    return record;
}

}  // namespace

std::string to_json(const std::vector<Record>& records) {
    Json all = Json::array();
    for (const Record& each : records) {
        all.push_back(whole_json_of(each));
    }
    return Json{{"records", all}}.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<Record> records_from_json(const std::string& name, const std::string& json) {
    try {
        std::vector<Record> records;
        const Json parsed = Json::parse(json);
        for (const Json& each : parsed.at("records")) {
            records.push_back(record_from(each));
        }
        return records;
    } catch (const nlohmann::json::exception& error) {
        throw config::UsageError(
            fmt::format("{}: no records of a lab: {}", name, config::without_number(error.what())));
    }
}

Record play(ranks::LaunchOptions options, const sim::Program& program) {
    Record record;
    report::Timeline& timeline = record.timeline;
    options.on_span = [&timeline](const trace::Span& span) { timeline.add(span); };
    ranks::Result result = ranks::launch(options, program);
    timeline.ranks = options.ranks;
    timeline.totals = std::move(result.ranks);
    timeline.end = result.end;
    if (result.fault) {
        timeline.fault = result.fault->message;
        timeline.fault_rank = result.fault->rank;
    }
    record.fault = std::move(result.fault);
    record.reports = std::move(result.reports);
    record.messages = result.messages;
    record.timeline_sha256 = std::move(result.timeline_sha256);
    return record;
}

}  // namespace sim::lab
