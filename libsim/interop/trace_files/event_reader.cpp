#include "libsim/interop/trace_files/event_reader.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

namespace sim::trace_files {

namespace {

// Far enough below 2^63 for sums of a few to stay in range: 13 days.
constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max() / 8;

[[noreturn]] void refuse_event(const std::string& where, const std::string& why) {
    throw config::UsageError(fmt::format("{}: {}", where, why));
}

bool is_step(const JsonEvent& event) {
    return event.text(EventField::category) == "user_annotation" && event.text(EventField::phase) == "X" &&
           event.text(EventField::name).starts_with("ProfilerStep#");
}

// The number after "rank", "rank_" or "rank-" in a file's name.
std::optional<int> rank_in_name(const std::string& file) {
    const std::string name = file.substr(file.find_last_of('/') + 1);
    for (std::size_t at = name.find("rank"); at != std::string::npos; at = name.find("rank", at + 1)) {
        const std::size_t digits = at + 4 + (name.find_first_of("_-", at + 4) == at + 4 ? 1 : 0);
        int rank = 0;
        if (std::from_chars(name.data() + digits, name.data() + name.size(), rank).ec == std::errc{} && rank >= 0) {
            return rank;
        }
    }
    return std::nullopt;
}

struct ExactNumber {
    EventField field;
    std::string_view name;  // as in span_columns.hpp
};
constexpr ExactNumber exact_numbers[] = {
    {EventField::process, "rank"}, {EventField::program_stream, "stream"}, {EventField::op, "op"},
    {EventField::ps, "begin_ps"},  {EventField::idle_ps, "idle_ps"},       {EventField::bytes, "bytes"},
    {EventField::flops, "flops"},  {EventField::work_ps, "work_ps"},       {EventField::peer, "peer"},
    {EventField::tag, "tag"},      {EventField::message, "message"},
};

// The stream with the most compute kernels.
std::int64_t main_stream(const std::map<std::int64_t, std::size_t>& computing) {
    return std::max_element(computing.begin(), computing.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

}  // namespace

void EventReader::take_exact(const JsonEvent& event, const std::string& where) {
    const std::string& kind = event.text(event.has(EventField::kind) ? EventField::kind : EventField::category);
    const bool is_of_training = kind == report::step_kind;
    Span span{.kind = is_of_training ? OpKind::idle : span_kind(kind, where),
              .label = spans_.label(event.text(event.has(EventField::label) ? EventField::label : EventField::name))};
    for (const ExactNumber& number : exact_numbers) {
        if (event.has(number.field)) {
            set_number(span, number.name, event.whole(number.field, where), where);
        }
    }
    if (const auto billionths = event.number(EventField::units, 9, where)) {
        // The number was printed from a double: round its tenths to the nearest whole number.
        const Wide tenths = *event.number(EventField::units, 10, where);
        const Wide nearest = (tenths + (tenths < 0 ? -5 : 5)) / 10;
        if (nearest > std::numeric_limits<std::int64_t>::max() || nearest < -std::numeric_limits<std::int64_t>::max()) {
            refuse_event(where, "units is out of range");
        }
        set_number(span, "billionths_of_units", static_cast<std::int64_t>(nearest), where);
    }
    const std::int64_t lasts = event.has(EventField::dur_ps) ? event.whole(EventField::dur_ps, where) : 0;
    std::int64_t end = 0;
    if (lasts < 0 || __builtin_add_overflow(span.begin.time_since_epoch().count(), lasts, &end)) {
        refuse_event(where, fmt::format("dur_ps is out of range: {}", lasts));
    }
    span.end = Time{Duration{end}};
    if (is_of_training) {
        return spans_.add(report::TrainingStep{span.rank, *span.label, span.begin, span.end}, where);
    }
    spans_.add(span, where);
    spans_.describe({.work = event.text(EventField::work), .spent = event.text(EventField::spent)}, where);
}

void EventReader::take_kernel(const JsonEvent& event, const std::string& where, ProfiledRank& rank) {
    const std::optional<KinetoKernel> kernel = kineto_kernel(event, where);
    if (!kernel) {
        return;
    }
    const auto time = [&](EventField field, const char* name) {
        const auto value = event.number(field, 6, where);  // microseconds as picoseconds
        if (!value) {
            refuse_event(where, fmt::format("{} is missing", name));
        }
        return *value;
    };
    const Wide begin = time(EventField::timestamp, "ts");
    const Wide lasts = time(EventField::duration, "dur");
    if (rank.kernels.empty()) {
        rank.origin = begin;
    }
    const Wide from = begin - rank.origin;
    if (from > longest || from < -longest || lasts < 0 || lasts > longest) {
        refuse_event(where, lasts < 0 ? "dur must not be below 0" : "is more than 13 days from the first one");
    }
    const Span span{.kind = kernel->kind,
                    .label = spans_.label(kernel->label),
                    .peer = kernel->peer,
                    .measure = kernel->measure,
                    .amount = kernel->amount,
                    .begin = Time{Duration{static_cast<std::int64_t>(from)}},
                    .end = Time{Duration{static_cast<std::int64_t>(from + lasts)}}};
    rank.kernels.push_back(
        {span, event.has(EventField::stream) ? event.whole(EventField::stream, where) : std::int64_t{0}});
}

void EventReader::read(GzipInput& in, const std::string& file, int next_rank) {
    ProfiledRank rank{.file = file, .origin = 0, .kernels = {}};
    int steps = 0;
    bool exact = false;
    const TraceHead head = for_each_event(in, file, [&](const JsonEvent& event, const std::string& where) {
        if (event.has(EventField::ps)) {
            exact = true;
            take_exact(event, where);
        } else {
            steps += is_step(event) ? 1 : 0;
            take_kernel(event, where, rank);
        }
    });
    partial_ = partial_ || head.partial;
    if (!head.answer.empty()) {
        spans_.add_answer(head.answer);
    }
    if (exact) {
        if (!rank.kernels.empty()) {
            refuse_event(file, "mixes spans of ndsim with kernels of a profiler");
        }
        return;
    }
    profiled_ = true;
    steps_ = std::max(steps_, steps);
    rank.origin += Wide{head.base_ns.value_or(0)} * 1'000;
    const std::int64_t number = head.rank.value_or(rank_in_name(file).value_or(next_rank));
    if (number < 0 || number >= most_ranks) {
        refuse_event(file, fmt::format("rank must be from 0 to {}, not {}", most_ranks - 1, number));
    }
    add_rank(static_cast<int>(number), std::move(rank));
}

void EventReader::add_rank(int number, ProfiledRank&& rank) {
    const std::string file = rank.file;
    const auto [at, is_new] = ranks_.try_emplace(number, std::move(rank));
    if (!is_new) {
        refuse_event(file, fmt::format("is of rank {}, and so is {}", number, at->second.file));
    }
}

void EventReader::finish() {
    std::optional<Wide> first;
    for (const auto& [number, rank] : ranks_) {
        for (const Measured& kernel : rank.kernels) {
            const Wide begin = rank.origin + kernel.span.begin.time_since_epoch().count();
            first = first ? std::min(*first, begin) : begin;
        }
    }
    for (auto& [number, rank] : ranks_) {
        if (rank.kernels.empty()) {
            continue;
        }
        const Wide later = rank.origin - *first;
        if (later > longest || later < -longest) {
            refuse_event(rank.file, "is more than 13 days from the others: ranks must be of one run");
        }
        std::stable_sort(rank.kernels.begin(), rank.kernels.end(), [](const Measured& a, const Measured& b) {
            return std::tie(a.span.begin, a.span.end) < std::tie(b.span.begin, b.span.end);
        });
        std::map<std::int64_t, std::size_t> computing;
        for (const Measured& kernel : rank.kernels) {
            computing[kernel.stream] += kernel.span.kind == OpKind::compute ? 1U : 0U;
        }
        std::map<std::int64_t, int> streams{{main_stream(computing), 0}};
        for (const auto& [stream, kernels] : computing) {
            streams.try_emplace(stream, std::min(static_cast<int>(streams.size()), most_streams));
        }
        std::uint32_t op = 0;
        for (Measured& kernel : rank.kernels) {
            kernel.span.rank = number;
            kernel.span.op_number = op++;
            kernel.span.stream = static_cast<Stream>(streams.at(kernel.stream));
            kernel.span.begin += Duration{static_cast<std::int64_t>(later)};
            kernel.span.end += Duration{static_cast<std::int64_t>(later)};
            spans_.add(kernel.span, rank.file);
        }
        rank.kernels = {};
    }
}

}  // namespace sim::trace_files
