#include "libsim/interop/trace_files/span_collector.hpp"

#include "libsim/check.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sim::trace_files {

void SpanCollector::add(const Span& span, const std::string& where) {
    if (span.end < span.begin) {
        throw config::UsageError(fmt::format("{}: a span must not end before it begins", where));
    }
    if (span.idle > span.end - span.begin) {
        throw config::UsageError(fmt::format("{}: a span must not be idle for longer than it lasts", where));
    }
    timeline_.add(span);
    timeline_.ranks = std::max(timeline_.ranks, span.rank + 1);
    timeline_.end = std::max(timeline_.end, span.end);
}

report::Timeline SpanCollector::take() {
    return std::move(timeline_);
}

OpKind span_kind(const std::string& name, const std::string& where) {
    std::vector<std::string> known;
    for (const OpKind kind : report::span_kinds) {
        if (name == name_of(kind)) {
            return kind;
        }
        known.emplace_back(name_of(kind));
    }
    throw config::UsageError(
        fmt::format("{}: \"{}\" is no kind of span{}", where, config::shortened(name), did_you_mean(name, known)));
}

void set_number(Span& span, std::string_view name, std::int64_t value, const std::string& where) {
    const auto numbers = report::span_numbers();
    const auto row =
        std::find_if(numbers.begin(), numbers.end(), [&](const report::SpanNumber& n) { return n.name == name; });
    sim::check(row != numbers.end(), "a span has no number {}", name);
    if (value < row->low || value > row->high) {
        throw config::UsageError(
            fmt::format("{}: {} must be from {} to {}, not {}", where, name, row->low, row->high, value));
    }
    row->take(span, value);
}

}  // namespace sim::trace_files
