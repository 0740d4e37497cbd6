// A collector checks the spans that are read from files, and puts them together as one timeline.
#pragma once

#include "libsim/report/span_columns.hpp"
#include "libsim/report/timeline.hpp"

#include <string>
#include <string_view>
#include <unordered_set>

namespace sim::trace_files {

inline constexpr int most_ranks = 1 << 20;

// What a trace says of a span beyond the span, as texts; empty: nothing.
struct SpanWords {
    std::string work;
    std::string spent;
};

class SpanCollector {
public:
    // A place that stays as long as the collector does, and is the same for the same text.
    const std::string* label(std::string_view text) { return &*labels_.emplace(text).first; }

    // Throws UsageError, which begins with `where` ("trace.csv:7"), where no run has such a span.
    void add(const Span& span, const std::string& where);
    // Throws UsageError as above.
    void add(report::TrainingStep step, const std::string& where);
    // All that is said of the run, as one JSON object.
    void add_answer(std::string answer) { timeline_.answer = std::move(answer); }
    // Of the span that was added last. Throws UsageError.
    void describe(const SpanWords& words, const std::string& where);
    bool is_empty() const { return timeline_.spans.empty(); }
    const report::Timeline& timeline() const { return timeline_; }

    // Ends the timeline with its last span. A stream with a span of an op that another span on the program's own stream
    // has, too, shows what such ops are made of.
    report::Timeline take();

private:
    void find_inside();
    void sort_steps();

    std::unordered_set<std::string> labels_;
    report::Timeline timeline_;
};

// The kind of that name. Throws UsageError, with the nearest known one.
OpKind span_kind(const std::string& name, const std::string& where);
// Sets the number of that name (span_columns.hpp). Throws UsageError where it is out of range.
// Requires: there is such a number.
void set_number(Span& span, std::string_view name, std::int64_t value, const std::string& where);

}  // namespace sim::trace_files
