#include "libsim/report/span_columns.hpp"

#include "libsim/report/json_text.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace sim::report {

namespace {

using Value = std::optional<std::int64_t>;
constexpr std::int64_t largest_count = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t most_ranks = 1 << 20;
constexpr std::int64_t most_int = std::numeric_limits<int>::max();
constexpr std::int64_t least_int = std::numeric_limits<int>::min();

template <Measure measure>
Value amount_in(const Span& span) {
    return span.measure == measure && span.kind != OpKind::log ? Value{span.amount} : std::nullopt;
}
template <Measure measure>
void take_amount(Span& span, std::int64_t value) {
    span.measure = measure;
    span.amount = value;
}

constexpr auto numbers = std::to_array<SpanNumber>({
    {"rank", true, [](const Span& s) { return Value{s.rank}; },
     [](Span& s, std::int64_t v) { s.rank = static_cast<int>(v); }, 0, most_ranks - 1},
    {"stream", true, [](const Span& s) { return Value{static_cast<int>(s.stream)}; },
     [](Span& s, std::int64_t v) { s.stream = static_cast<Stream>(v); }, 0, 255},
    {"op", true, [](const Span& s) { return Value{s.op_number}; },
     [](Span& s, std::int64_t v) { s.op_number = static_cast<std::uint32_t>(v); }, 0,
     std::numeric_limits<std::uint32_t>::max()},
    {"begin_ps", true, [](const Span& s) { return Value{s.begin.time_since_epoch().count()}; },
     [](Span& s, std::int64_t v) { s.begin = Time{Duration{v}}; }, 0, largest_count},
    {"end_ps", true, [](const Span& s) { return Value{s.end.time_since_epoch().count()}; },
     [](Span& s, std::int64_t v) { s.end = Time{Duration{v}}; }, 0, largest_count},
    {"idle_ps", true, [](const Span& s) { return Value{s.idle.count()}; },
     [](Span& s, std::int64_t v) { s.idle = Duration{v}; }, 0, largest_count},
    {"bytes", false, amount_in<Measure::bytes>, take_amount<Measure::bytes>, -largest_count, largest_count},
    {"flops", false, amount_in<Measure::flops>, take_amount<Measure::flops>, -largest_count, largest_count},
    {"billionths_of_units", false, amount_in<Measure::units>, take_amount<Measure::units>, -largest_count,
     largest_count},
    {"peer", false, [](const Span& s) { return s.peer >= 0 ? Value{s.peer} : std::nullopt; },
     [](Span& s, std::int64_t v) { s.peer = static_cast<int>(v); }, 0, most_ranks - 1},
    {"tag", false, [](const Span& s) { return s.tag != 0 ? Value{s.tag} : std::nullopt; },
     [](Span& s, std::int64_t v) { s.tag = static_cast<int>(v); }, least_int, most_int},
    {"message", false,
     [](const Span& s) { return s.message != 0 ? Value{static_cast<std::int64_t>(s.message)} : std::nullopt; },
     [](Span& s, std::int64_t v) { s.message = static_cast<std::uint64_t>(v); }, 0, largest_count},
    {"work_ps", false, amount_in<Measure::picoseconds>, take_amount<Measure::picoseconds>, 0, largest_count},
});

}  // namespace

std::span<const SpanNumber> span_numbers() {
    return numbers;
}

std::string_view amount_name(Measure measure) {
    switch (measure) {
        case Measure::flops: return "flops";
        case Measure::units: return "billionths_of_units";
        case Measure::picoseconds: return "work_ps";
        case Measure::bytes: break;
    }
    return "bytes";
}

std::string exact_json(const Span& span) {
    std::string text = fmt::format(R"("ps":{},"dur_ps":{},"idle_ps":{},"op":{})", span.begin.time_since_epoch().count(),
                                   (span.end - span.begin).count(), span.idle.count(), span.op_number);
    if (span.stream != Stream::main) {
        text += fmt::format(R"(,"program_stream":{})", static_cast<int>(span.stream));
    }
    if (span.tag != 0) {
        text += fmt::format(R"(,"tag":{})", span.tag);
    }
    if (span.message != 0) {
        text += fmt::format(R"(,"message":{})", span.message);
    }
    return text;
}

std::string exact_json(const TrainingStep& step) {
    return fmt::format(R"("kind":"{}","ps":{},"dur_ps":{},"idle_ps":0)", step_kind,
                       step.begin.time_since_epoch().count(), (step.end - step.begin).count());
}

std::string account_json(const Timeline& timeline, std::size_t span) {
    std::string text;
    const Span& one = timeline.spans[span];
    if (const std::string* const work = timeline.work_of(one); work != one.label) {
        text += fmt::format(R"(,"{}":{})", span_work_name, json_text(*work));
    }
    if (const auto spent = trace::spent_on(timeline.account, span); !spent.empty()) {
        text += fmt::format(R"(,"{}":"{}")", span_spent_name, trace::text_of(spent));
    }
    return text;
}

std::string amount_json(const Span& span) {
    switch (span.measure) {
        case Measure::units: return fmt::format(R"("units":{})", Units::from_billionths(span.amount).value());
        case Measure::flops: return fmt::format(R"("flops":{})", span.amount);
        case Measure::picoseconds: return fmt::format(R"("work_ps":{})", span.amount);
        case Measure::bytes: break;
    }
    return fmt::format(R"("bytes":{})", span.amount);
}

}  // namespace sim::report
