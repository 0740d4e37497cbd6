// A collector checks the spans that are read from files, and assembles them into one timeline.
#pragma once

#include "libsim/report/span_columns.hpp"
#include "libsim/report/timeline.hpp"

#include <string>
#include <string_view>
#include <unordered_set>

namespace sim::trace_files {

inline constexpr int most_ranks = 1 << 20;

// Texts that a trace attaches to a span; empty: none.
struct SpanWords {
    std::string work;
    std::string spent;
};

class SpanCollector {
public:
    // An address that is stable as long as the collector lives, and the same for equal texts.
    const std::string* label(std::string_view text) { return &*labels_.emplace(text).first; }

    // Throws UsageError, which begins with `where` ("trace.csv:7"), if no run can have such a span.
    void add(const Span& span, const std::string& where);
    // Throws UsageError as above.
    void add(report::TrainingStep step, const std::string& where);
    // The description of the run, as one JSON object.
    void add_answer(std::string answer) { timeline_.answer = std::move(answer); }
    // Describes the span that was added last. Throws UsageError.
    void describe(const SpanWords& words, const std::string& where);
    bool is_empty() const { return timeline_.spans.empty(); }
    const report::Timeline& timeline() const { return timeline_; }

    // Ends the timeline with its last span. If an op on the program's own stream also has a span on another stream,
    // that stream shows what such ops consist of.
    report::Timeline take();

private:
    void find_inside();
    void sort_steps();

    std::unordered_set<std::string> labels_;
    report::Timeline timeline_;
};

// The kind of that name. Throws UsageError, with the nearest known one.
OpKind span_kind(const std::string& name, const std::string& where);
// Sets the field of that name (span_columns.hpp). Throws UsageError if the value is out of range. Requires: there is
// such a field.
void set_number(Span& span, std::string_view name, std::int64_t value, const std::string& where);

}  // namespace sim::trace_files
