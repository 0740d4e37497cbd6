#include "libsim/interop/trace_files/event_reader.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/report/csv.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace sim::trace_files {

namespace {

using report::span_kind_name;
using report::span_label_name;
using report::SpanNumber;

[[noreturn]] void refuse_row(const std::string& where, const std::string& why) {
    throw config::UsageError(fmt::format("{}: {}", where, why));
}

// The values that a line gives for one span; null: none.
struct SpanRow {
    std::optional<std::string> kind;
    std::optional<std::string> label;
    std::vector<std::optional<std::int64_t>> numbers;  // in the order of span_numbers()
    SpanWords words = {};
};

void add_row(const SpanRow& row, SpanCollector& spans, const std::string& where) {
    if (!row.kind) {
        refuse_row(where, fmt::format("{} is missing", span_kind_name));
    }
    Span span{.kind = span_kind(*row.kind, where), .label = spans.label(row.label.value_or(""))};
    const auto numbers = report::span_numbers();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (row.numbers[i]) {
            set_number(span, numbers[i].name, *row.numbers[i], where);
        } else if (numbers[i].required) {
            refuse_row(where, fmt::format("{} is missing", numbers[i].name));
        }
    }
    spans.add(span, where);
    spans.describe(row.words, where);
}

std::int64_t whole_of(const std::string& text, std::string_view name, const std::string& where) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        refuse_row(where, fmt::format("{} must be a 64-bit whole number, not \"{}\"", name, config::shortened(text)));
    }
    return value;
}

// Reads a record, whose quoted label may span several lines; returns false at the end.
bool next_record(GzipInput& in, std::string& record, int& line) {
    if (!in.line(record)) {
        return false;
    }
    ++line;
    const auto quotes = [](const std::string& text) { return std::count(text.begin(), text.end(), '"'); };
    auto open = quotes(record) % 2;
    for (std::string more; open != 0 && in.line(more); ++line) {
        open = (open + quotes(more)) % 2;
        record += "\n" + more;
    }
    if (record.ends_with('\r')) {
        record.pop_back();
    }
    return true;
}

// The column of each name in a line; none if it is missing.
struct CsvPlaces {
    std::optional<std::size_t> kind;
    std::optional<std::size_t> label;
    std::optional<std::size_t> work;
    std::optional<std::size_t> spent;
    std::vector<std::optional<std::size_t>> numbers;
};

CsvPlaces places_of(const std::vector<std::string>& names, const std::string& where) {
    const auto place = [&](std::string_view name) -> std::optional<std::size_t> {
        const auto at = std::find(names.begin(), names.end(), name);
        return at == names.end() ? std::nullopt : std::optional{static_cast<std::size_t>(at - names.begin())};
    };
    CsvPlaces places{.kind = place(span_kind_name),
                     .label = place(span_label_name),
                     .work = place(report::span_work_name),
                     .spent = place(report::span_spent_name),
                     .numbers = {}};
    if (!places.kind) {
        refuse_row(where, "the first line must name the columns of a trace: kind, label, rank, begin_ps, …");
    }
    for (const SpanNumber& number : report::span_numbers()) {
        places.numbers.push_back(place(number.name));
        if (number.required && !places.numbers.back()) {
            refuse_row(where, fmt::format("the column {} is missing", number.name));
        }
    }
    return places;
}

}  // namespace

void read_span_csv(GzipInput& in, const std::string& file, SpanCollector& spans) {
    int line = 0;
    std::string record;
    std::vector<std::string> names;
    if (next_record(in, record, line)) {
        names = report::csv_cells(record).value_or(std::vector<std::string>{});
    }
    const CsvPlaces places = places_of(names, fmt::format("{}:1", file));
    while (next_record(in, record, line)) {
        const std::string where = fmt::format("{}:{}", file, line);
        const auto cells = report::csv_cells(record);
        if (!cells || cells->size() != names.size()) {
            refuse_row(where, cells ? fmt::format("has {} cells, not {}", cells->size(), names.size())
                                    : "a quote is not closed");
        }
        SpanRow row{.kind = cells->at(*places.kind), .label = {}, .numbers = {}};
        if (places.label) {
            row.label = cells->at(*places.label);
        }
        row.words = {.work = places.work ? cells->at(*places.work) : "",
                     .spent = places.spent ? cells->at(*places.spent) : ""};
        for (std::size_t i = 0; i < places.numbers.size(); ++i) {
            const std::string cell = places.numbers[i] ? cells->at(*places.numbers[i]) : "";
            row.numbers.push_back(cell.empty() ? std::nullopt
                                               : std::optional{whole_of(cell, report::span_numbers()[i].name, where)});
        }
        add_row(row, spans, where);
    }
    if (!in.line_was_whole()) {
        refuse_row(fmt::format("{}:{}", file, line), "is cut off: the last line has no end");
    }
}

void read_span_ndjson(GzipInput& in, const std::string& file, SpanCollector& spans) {
    int line = 0;
    for (std::string text; in.line(text);) {
        const std::string where = fmt::format("{}:{}", file, ++line);
        const nlohmann::json object = nlohmann::json::parse(text, nullptr, false);
        if (!object.is_object()) {
            refuse_row(where,
                       object.is_discarded() ? "is not JSON: each line must hold one object" : "must be an object");
        }
        const auto word = [&](std::string_view name) -> std::optional<std::string> {
            const auto at = object.find(std::string(name));
            if (at == object.end()) {
                return std::nullopt;
            }
            if (!at->is_string()) {
                refuse_row(where, fmt::format("{} must be a text", name));
            }
            return at->get<std::string>();
        };
        SpanRow row{.kind = word(span_kind_name),
                    .label = word(span_label_name),
                    .numbers = {},
                    .words = {.work = word(report::span_work_name).value_or(""),
                              .spent = word(report::span_spent_name).value_or("")}};
        for (const SpanNumber& number : report::span_numbers()) {
            const auto at = object.find(std::string(number.name));
            row.numbers.push_back(at == object.end() ? std::nullopt
                                                     : std::optional{whole_of(at->dump(), number.name, where)});
        }
        add_row(row, spans, where);
    }
}

}  // namespace sim::trace_files
