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

void SpanCollector::add(report::TrainingStep step, const std::string& where) {
    if (step.end < step.begin) {
        throw config::UsageError(fmt::format("{}: a step must not end before it begins", where));
    }
    timeline_.ranks = std::max(timeline_.ranks, step.rank + 1);
    timeline_.steps.push_back(std::move(step));
}

void SpanCollector::describe(const SpanWords& words, const std::string& where) {
    report::Timeline& timeline = timeline_;
    if (!words.work.empty()) {
        timeline.works.try_emplace(timeline.spans.back().label, timeline.labels.keep_text(words.work));
    }
    if (words.spent.empty()) {
        return;
    }
    const auto spent = trace::spent_of_text(words.spent, timeline.spans.size() - 1);
    if (!spent) {
        throw config::UsageError(
            fmt::format("{}: {} must be categories with their picoseconds, \"compute:1200 tensor:300\", not \"{}\"",
                        where, report::span_spent_name, config::shortened(words.spent)));
    }
    timeline.account.insert(timeline.account.end(), spent->begin(), spent->end());
}

void SpanCollector::find_inside() {
    using OpOfRank = std::pair<int, std::uint32_t>;
    std::vector<OpOfRank> computing;
    for (const Span& span : timeline_.spans) {
        if (span.kind == OpKind::compute && span.stream == Stream::main) {
            computing.emplace_back(span.rank, span.op_number);
        }
    }
    std::sort(computing.begin(), computing.end());
    for (const Span& span : timeline_.spans) {
        if (span.kind == OpKind::collective && span.stream != Stream::main && span.stream != Stream::own &&
            std::binary_search(computing.begin(), computing.end(), OpOfRank{span.rank, span.op_number})) {
            timeline_.inside = span.stream;
            return;
        }
    }
}

// Files list steps by time; here they are sorted by rank first.
void SpanCollector::sort_steps() {
    std::ranges::stable_sort(timeline_.steps, {},
                             [](const report::TrainingStep& step) { return std::pair(step.rank, step.begin); });
}

report::Timeline SpanCollector::take() {
    sort_steps();
    if (!timeline_.account.empty()) {
        find_inside();
    }
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
        fmt::format("{}: \"{}\" is not a kind of span{}", where, config::shortened(name), did_you_mean(name, known)));
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
