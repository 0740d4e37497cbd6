#include "libsim/report/page/sums.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace sim::report {

namespace {

using trace::RankTotals;
using trace::Span;

bool lasts(const Span& span) {
    return span.kind != OpKind::log && span.kind != OpKind::allocate;
}

// The time covered by at least one interval. Requires: intervals are added in the order of their begins.
class Covered {
public:
    void add(Time begin, Time end) {
        const Time from = std::max(begin, until_);
        if (end > from) {
            length_ += end - from;
            until_ = end;
        }
    }
    Duration length() const { return length_; }

private:
    Time until_;
    Duration length_{0};
};

void count(const Span& span, RankTotals& totals) {
    totals.end = std::max(totals.end, span.end);
    ++totals.ops;
    if (span.kind == OpKind::send) {
        ++totals.messages_sent;
        (span.measure == Measure::units ? totals.billionths_sent : totals.bytes_sent) += span.amount;
    } else if (span.kind == OpKind::allocate) {
        std::int64_t& peak = span.measure == Measure::units ? totals.peak_billionths : totals.peak_bytes;
        peak = std::max(peak, span.amount);
    }
}

RankTotals totals_from(const std::vector<const Span*>& sorted, Time end) {
    RankTotals totals;
    Covered computing;
    Covered working;
    for (const Span* span : sorted) {
        count(*span, totals);
        if (!lasts(*span)) {
            continue;
        }
        if (span->kind == OpKind::compute) {
            computing.add(span->begin, span->end);
            working.add(span->begin, span->end);
        } else {
            // An op's waiting comes first.
            working.add(std::min(span->begin + span->idle, span->end), span->end);
        }
    }
    totals.compute = computing.length();
    totals.communication = std::max(Duration{0}, working.length() - computing.length());
    totals.idle = end.time_since_epoch() - totals.compute - totals.communication;
    return totals;
}

std::uint64_t op_of(const Span& span) {
    return static_cast<std::uint64_t>(span.rank) << 32U | span.op_number;
}

// The time of the collectives inside each computation.
std::unordered_map<std::uint64_t, Duration> time_inside(const Timeline& timeline) {
    std::unordered_map<std::uint64_t, Duration> inside;
    for (const Span& span : timeline.spans) {
        if (!timeline.counts(span)) {
            inside[op_of(span)] += span.end - span.begin;
        }
    }
    return inside;
}

void take_account(const Timeline& timeline, std::vector<RankTotals>& totals) {
    const std::vector<trace::TimeParts> parts = timeline.time_of_ranks();
    for (std::size_t rank = 0; rank < totals.size(); ++rank) {
        RankTotals& of_rank = totals[rank];
        of_rank.compute = of_rank.communication = of_rank.idle = Duration{0};
        for (std::size_t kind = 0; kind < time_categories; ++kind) {
            const auto category = static_cast<TimeCategory>(kind);
            const bool waits = category == TimeCategory::bubble || category == TimeCategory::straggler;
            (part_of(category) == TimePart::communication ? of_rank.communication
             : waits                                      ? of_rank.idle
                                                          : of_rank.compute) += parts[rank].of[kind];
        }
    }
}

}  // namespace

std::map<std::tuple<OpKind, std::string_view, Measure>, LabelSum> sums_by_label(const Timeline& timeline) {
    // By address first, so that texts are compared once per label, not per span.
    std::map<std::tuple<OpKind, const std::string*, Measure>, LabelSum> of_label;
    const auto inside = time_inside(timeline);
    for (const Span& span : timeline.spans) {
        if (lasts(span)) {
            LabelSum& sum = of_label[{span.kind, timeline.work_of(span), span.measure}];
            if (span.kind == OpKind::compute && span.stream == Stream::main && !inside.empty()) {
                const auto part = inside.find(op_of(span));
                sum.time -= part == inside.end() ? Duration{0} : part->second;
            }
            ++sum.count;
            sum.amount += span.amount;
            sum.time += span.end - span.begin;
            sum.idle += span.idle;
        }
    }
    std::map<std::tuple<OpKind, std::string_view, Measure>, LabelSum> sums;
    for (const auto& [key, part] : of_label) {
        const auto& [kind, label, measure] = key;
        LabelSum& sum = sums[{kind, *label, measure}];
        sum.count += part.count;
        sum.amount += part.amount;
        sum.time += part.time;
        sum.idle += part.idle;
    }
    return sums;
}

std::map<std::pair<int, int>, PairSum> sums_by_pair(const Timeline& timeline) {
    std::map<std::pair<int, int>, PairSum> sums;
    for (const Span& span : timeline.spans) {
        if (span.kind == OpKind::send && span.peer >= 0) {
            PairSum& sum = sums[{span.rank, span.peer}];
            ++sum.messages;
            (span.measure == Measure::units ? sum.billionths : sum.bytes) += span.amount;
        }
    }
    return sums;
}

std::vector<RankTotals> totals_of(const Timeline& timeline) {
    if (!timeline.totals.empty()) {
        return timeline.totals;
    }
    std::vector<std::vector<const Span*>> of_rank(static_cast<std::size_t>(timeline.ranks));
    for (const Span& span : timeline.spans) {
        if (span.rank >= 0 && span.rank < timeline.ranks) {
            of_rank[static_cast<std::size_t>(span.rank)].push_back(&span);
        }
    }
    const Time end = timeline.end_of_all();
    std::vector<RankTotals> totals;
    for (std::vector<const Span*>& spans : of_rank) {
        std::stable_sort(spans.begin(), spans.end(), [](const Span* a, const Span* b) {
            const auto key = [](const Span& s) { return s.kind == OpKind::compute ? s.begin : s.begin + s.idle; };
            return key(*a) < key(*b);
        });
        totals.push_back(totals_from(spans, end));
    }
    if (!timeline.account.empty()) {
        take_account(timeline, totals);
    }
    return totals;
}

}  // namespace sim::report
