// These functions write a timeline as a table of spans: comma-separated values, or an object on each line (NDJSON).
//
// Nothing is rounded: times are integer picoseconds, amounts are whole numbers, and every name has its unit. The
// columns are those of span_columns.hpp.
#include "libsim/report/trace_formats.hpp"

#include "libsim/report/csv.hpp"
#include "libsim/report/json_text.hpp"
#include "libsim/report/span_columns.hpp"

#include <fmt/ostream.h>

#include <unordered_map>

namespace sim::report {

void write_span_csv(std::ostream& out, const Timeline& timeline) {
    Table row{.columns = {{std::string(span_kind_name), Cells::names}, {std::string(span_label_name), Cells::words}},
              .rows = {}};
    for (const SpanNumber& number : span_numbers()) {
        row.columns.push_back({std::string(number.name)});
    }
    row.columns.push_back({std::string(span_work_name), Cells::words});
    row.columns.push_back({std::string(span_spent_name), Cells::words});
    out << csv_of(row);
    for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
        const Span& span = timeline.spans[i];
        std::vector<std::string> cells{name_of(span.kind), *span.label};
        for (const SpanNumber& number : span_numbers()) {
            const auto value = number.value(span);
            cells.push_back(value ? std::to_string(*value) : "");
        }
        const std::string* const work = timeline.work_of(span);
        cells.push_back(work == span.label ? "" : *work);
        cells.push_back(trace::text_of(trace::spent_on(timeline.account, i)));
        out << csv_row(row.columns, cells);
    }
}

void write_span_ndjson(std::ostream& out, const Timeline& timeline) {
    std::unordered_map<const std::string*, std::string> labels;
    for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
        const Span& span = timeline.spans[i];
        const auto [label, is_new] = labels.try_emplace(span.label);
        if (is_new) {
            label->second = json_text(*span.label);
        }
        fmt::print(out, R"({{"{}":"{}","{}":{})", span_kind_name, name_of(span.kind), span_label_name, label->second);
        for (const SpanNumber& number : span_numbers()) {
            if (const auto value = number.value(span)) {
                fmt::print(out, R"(,"{}":{})", number.name, *value);
            }
        }
        out << account_json(timeline, i) << "}\n";
    }
}

}  // namespace sim::report
