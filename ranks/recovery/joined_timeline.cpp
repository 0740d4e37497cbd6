#include "ranks/recovery/joined_timeline.hpp"

#include <algorithm>
#include <utility>

namespace sim::ranks {

JoinedTimeline::JoinedTimeline(const LaunchOptions& options)
    : options_(&options),
      hash_(options.hash_timeline ? std::optional<TimelineHash>(options.ranks) : std::nullopt),
      sink_(hash_ ? hashing(*hash_, options.on_span) : options.on_span),
      ops_before_(static_cast<std::size_t>(options.ranks)),
      last_end_(static_cast<std::size_t>(options.ranks)) {}

void JoinedTimeline::begin_life(std::vector<int> places, Time begin, Time first_death) {
    places_ = std::move(places);
    begin_ = begin;
    first_death_ = first_death;
    holds_.assign(ops_before_.size(), false);
    kept_.clear();
}

// A message's number consists of its sending rank and the number of the sending op, from 1 (kernel::id_of).
void JoinedTimeline::add(const Span& span) {
    const auto place_of = [this](std::uint64_t rank) {
        return static_cast<std::uint64_t>(places_[static_cast<std::size_t>(rank)]);
    };
    Span placed = span;
    placed.rank = places_[static_cast<std::size_t>(span.rank)];
    placed.peer = span.peer < 0 ? span.peer : places_[static_cast<std::size_t>(span.peer)];
    const auto place = static_cast<std::size_t>(placed.rank);
    placed.op_number += ops_before_[place];
    if (span.message != 0) {
        const std::uint64_t source = place_of(span.message >> 32U);
        const auto number = static_cast<std::uint32_t>(span.message) + ops_before_[static_cast<std::size_t>(source)];
        placed.message = source << 32U | number;
    }
    const std::string*& label = kept_[span.label];
    label = label != nullptr ? label : &*labels_.insert(*span.label).first;
    placed.label = label;
    if (holds_[place] || placed.end > first_death_) {
        holds_[place] = true;
        held_.push_back(placed);
    } else {
        pass_on(placed);
    }
}

void JoinedTimeline::add(const LogLine& line) {
    LogLine placed = line;
    placed.rank = places_[static_cast<std::size_t>(line.rank)];
    if (placed.at >= first_death_) {
        held_lines_.push_back(std::move(placed));
    } else {
        options_->on_log(placed);
    }
}

void JoinedTimeline::pass_on(const Span& span) {
    Time& last = last_end_[static_cast<std::size_t>(span.rank)];
    last = std::max(last, span.stream == Stream::main ? span.end : last);
    if (sink_) {
        sink_(span);
    }
}

namespace {

// Removes the part of the program's time beyond the limit.
void cut_off(RankTotals& totals, const Span& span, Time limit) {
    if (span.stream != Stream::main || span.end <= limit) {
        return;
    }
    if (span.kind == OpKind::compute) {
        totals.compute -= span.end - std::max(span.begin, limit);
    } else if (span.kind == OpKind::send || span.kind == OpKind::receive || span.kind == OpKind::collective) {
        totals.communication -= span.end - std::max(span.begin + span.idle, limit);
    }
}

// Ops without a span may also have been beyond it: waiting for pending ops.
void settle(RankTotals& totals, Time begin, Time limit) {
    totals.end = std::min(totals.end, limit);
    totals.compute = std::clamp(totals.compute, Duration{0}, totals.end - begin);
    totals.communication = std::clamp(totals.communication, Duration{0}, totals.end - begin - totals.compute);
}

}  // namespace

void JoinedTimeline::end_life(const std::vector<Time>& limits, std::vector<RankTotals>& totals) {
    std::vector<std::size_t> rank_at(ops_before_.size());  // by place
    for (std::size_t rank = 0; rank < places_.size(); ++rank) {
        rank_at[static_cast<std::size_t>(places_[rank])] = rank;
    }
    for (Span span : std::exchange(held_, {})) {
        const std::size_t rank = rank_at[static_cast<std::size_t>(span.rank)];
        const Time limit = limits[rank];
        cut_off(totals[rank], span, limit);
        if (span.begin >= limit) {
            continue;
        }
        span.end = std::min(span.end, limit);
        span.idle = std::min(span.idle, span.end - span.begin);
        pass_on(span);
    }
    for (const LogLine& line : std::exchange(held_lines_, {})) {
        if (line.at < limits[rank_at[static_cast<std::size_t>(line.rank)]]) {
            options_->on_log(line);
        }
    }
    for (std::size_t rank = 0; rank < places_.size(); ++rank) {
        ops_before_[static_cast<std::size_t>(places_[rank])] += static_cast<std::uint32_t>(totals[rank].ops);
        settle(totals[rank], begin_, limits[rank]);
    }
}

void JoinedTimeline::add_down_time(int place, const char* what, Time begin, Time end) {
    if (end <= begin) {
        return;
    }
    pass_on({.rank = place,
             .kind = OpKind::idle,
             .op_number = ops_before_[static_cast<std::size_t>(place)],
             .label = &*labels_.insert(what).first,
             .begin = begin,
             .end = end,
             .idle = end - begin});
}

std::string JoinedTimeline::hash() {
    return hash_ ? hash_->hex() : "";
}

}  // namespace sim::ranks
