#include "libsim/report/passes.hpp"

#include "libsim/report/timeline_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace sim::report {

namespace {

using trace::Span;

constexpr int pass_colours = 6;
constexpr std::string_view forward_word = "forward";
constexpr std::string_view micro_batch_words = " of micro-batch ";

struct Interval {
    Time begin;
    Time end;
};

// A rank of a pipeline: when it is busy, and from its first pass to its last.
struct Occupied {
    std::vector<Interval> busy;
    std::optional<Interval> passes;
};

// The time in which the span is not waiting for another rank. A collective is not a pipeline's wait at all.
Interval busy_part(const Span& span) {
    return {span.kind == OpKind::collective ? span.begin : std::min(span.begin + span.idle, span.end), span.end};
}

bool occupies(const Span& span) {
    const bool is_of_program = span.stream == Stream::main || span.stream == Stream::own;
    return takes_time(span) && (is_of_program || span.kind == OpKind::compute);
}

std::vector<Occupied> occupied(const Timeline& timeline) {
    std::vector<Occupied> ranks(static_cast<std::size_t>(timeline.ranks));
    for (const Span& span : timeline.spans) {
        if (!occupies(span)) {
            continue;
        }
        Occupied& rank = ranks[static_cast<std::size_t>(span.rank)];
        rank.busy.push_back(busy_part(span));
        if (span.kind == OpKind::compute && pass_of(*span.label)) {
            const Interval before = rank.passes.value_or(Interval{span.begin, span.end});
            rank.passes = Interval{std::min(before.begin, span.begin), std::max(before.end, span.end)};
        }
    }
    return ranks;
}

}  // namespace

std::optional<Pass> pass_of(std::string_view label) {
    const std::size_t at = label.find(micro_batch_words);
    if (at == std::string_view::npos) {
        return {};
    }
    const std::string_view number = label.substr(at + micro_batch_words.size());
    Pass pass{.is_forward = label.substr(0, at) == forward_word};
    const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), pass.micro_batch);
    return error == std::errc{} && pass.micro_batch >= 0 ? std::optional(pass) : std::nullopt;
}

std::string colour_of(Pass pass) {
    return fmt::format("{}{}", pass.is_forward ? 'f' : 'b', pass.micro_batch % pass_colours);
}

const char* name_of(PipelineWait wait) {
    switch (wait) {
        case PipelineWait::fill: return "fill";
        case PipelineWait::bubble: return "bubble";
        case PipelineWait::drain: return "drain";
    }
    return "unknown";
}

std::vector<WaitingTime> pipeline_waits(const Timeline& timeline) {
    std::vector<Occupied> ranks = occupied(timeline);
    Time drained;
    for (const Occupied& rank : ranks) {
        drained = std::max(drained, rank.passes ? rank.passes->end : Time{});
    }
    std::vector<WaitingTime> waits;
    bool fills = false;
    for (std::size_t number = 0; number < ranks.size(); ++number) {
        auto& [busy, passes] = ranks[number];
        if (!passes) {
            continue;
        }
        busy.push_back({drained, drained});
        std::sort(busy.begin(), busy.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
        Time free;
        for (const auto& [begin, end] : busy) {
            const PipelineWait wait = free < passes->begin ? PipelineWait::fill
                                      : free < passes->end ? PipelineWait::bubble
                                                           : PipelineWait::drain;
            if (begin > free && free < drained) {
                waits.push_back({static_cast<int>(number), wait, free, std::min(begin, drained)});
                fills = fills || wait == PipelineWait::fill;
            }
            free = std::max(free, end);
        }
    }
    return fills ? waits : std::vector<WaitingTime>{};
}

}  // namespace sim::report
