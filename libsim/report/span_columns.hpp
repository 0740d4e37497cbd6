// These columns hold a span as numbers and words, exactly and with the unit in each name. CSV and NDJSON are written
// and read by them. JSON traces have their own places for names and times, and carry the rest beside these.
#pragma once

#include "libsim/report/table.hpp"
#include "libsim/report/timeline.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sim::report {

// A column with a whole number of a span.
struct SpanNumber {
    std::string_view name;                              // "begin_ps"
    bool required = false;                              // every span has it
    std::optional<std::int64_t> (*value)(const Span&);  // none: the span has no such number
    void (*take)(Span& span, std::int64_t value);
    std::int64_t low;
    std::int64_t high;
};

// The number columns. A span also has its kind, as name_of(OpKind), and its label.
std::span<const SpanNumber> span_numbers();
inline constexpr std::string_view span_kind_name = "kind";
inline constexpr std::string_view span_label_name = "label";
// For timelines that know them: the common label of spans that do the same work, and the account of the rank's time, as
// text.
inline constexpr std::string_view span_work_name = "work";
inline constexpr std::string_view span_spent_name = "spent_ps";

// The kinds that a span may have.
inline constexpr OpKind span_kinds[] = {OpKind::compute, OpKind::send,     OpKind::receive,    OpKind::collective,
                                        OpKind::log,     OpKind::allocate, OpKind::checkpoint, OpKind::idle};

// A training step has this instead of a kind.
inline constexpr std::string_view step_kind = "step";

// The column of an amount in that measure.
std::string_view amount_name(Measure measure);

// The fields needed to read the same span back from a JSON trace: times to the picosecond, and the place in the
// program. "ps":5,"dur_ps":7,"idle_ps":0,"op":3 and, if the span has them, program_stream, tag and message.
std::string exact_json(const Span& span);
// The same for a step: "kind":"step","ps":5,"dur_ps":7,"idle_ps":0
std::string exact_json(const TrainingStep& step);
// The fields that the timeline adds to the span with this index, as far as it has them:
// ,"work":"forward","spent_ps":"compute:1200 tensor:300"
std::string account_json(const Timeline& timeline, std::size_t span);
// "units":2.5 or "bytes":64 or "flops":1000 or "work_ps":3000
std::string amount_json(const Span& span);

}  // namespace sim::report
