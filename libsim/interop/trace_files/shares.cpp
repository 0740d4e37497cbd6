#include "libsim/interop/trace_files/shares.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace sim::trace_files {

namespace {

constexpr auto rows = std::to_array<ShareRow>({
    {"compute", "compute_seconds", &Shares::compute, true, "Seconds in which the rank computed."},
    {"exposed communication", "exposed_communication_seconds", &Shares::exposed, true,
     "Seconds of communication that no computation hides."},
    {"exposed copies", "exposed_copy_seconds", &Shares::copies, true, "Seconds of copies that nothing else hides."},
    {"idle time", "idle_seconds", &Shares::idle, true, "Seconds in which nothing happened."},
    {"waiting", "waiting_seconds", &Shares::waiting, false,
     "Seconds of exposed communication that waited for the other side, if the trace records it."},
    {"overlapped communication", "overlapped_communication_seconds", &Shares::overlapped, false,
     "Seconds of communication overlapped with computation."},
});

struct Interval {
    Time begin;
    Time end;
};

// A set of instants, as intervals that do not touch.
class Instants {
public:
    void add(Time begin, Time end) {
        if (begin < end) {
            parts_.push_back({begin, end});
        }
    }
    // All functions below require join() after the last add().
    void join() {
        std::sort(parts_.begin(), parts_.end(), [](const Interval& a, const Interval& b) {
            return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
        });
        std::size_t kept = 0;
        for (const Interval& part : parts_) {
            if (kept > 0 && part.begin <= parts_[kept - 1].end) {
                parts_[kept - 1].end = std::max(parts_[kept - 1].end, part.end);
            } else {
                parts_[kept++] = part;
            }
        }
        parts_.resize(kept);
    }
    Duration length() const {
        Duration sum{0};
        for (const Interval& part : parts_) {
            sum += part.end - part.begin;
        }
        return sum;
    }
    Duration common_with(const Instants& other) const {
        Duration sum{0};
        for (const Interval& part : parts_) {
            auto at = std::upper_bound(other.parts_.begin(), other.parts_.end(), part.begin,
                                       [](Time time, const Interval& interval) { return time < interval.end; });
            for (; at != other.parts_.end() && at->begin < part.end; ++at) {
                sum += std::min(part.end, at->end) - std::max(part.begin, at->begin);
            }
        }
        return sum;
    }
    Instants without(const Instants& other) const {
        Instants rest;
        auto hole = other.parts_.begin();
        for (const Interval& part : parts_) {
            Time begin = part.begin;
            for (; hole != other.parts_.end() && hole->begin < part.end; ++hole) {
                rest.add(begin, hole->begin);
                begin = std::max(begin, hole->end);
                if (hole->end > part.end) {
                    break;
                }
            }
            rest.add(begin, part.end);
        }
        return rest;
    }
    Instants joined_with(const Instants& other) const {
        Instants both = *this;
        both.parts_.insert(both.parts_.end(), other.parts_.begin(), other.parts_.end());
        both.join();
        return both;
    }

private:
    std::vector<Interval> parts_;
};

// Nothing for spans that take no GPU time.
std::optional<Activity> activity_of(const Span& span) {
    switch (span.kind) {
        case OpKind::compute: return span.measure == Measure::bytes ? Activity::copies : Activity::compute;
        case OpKind::send:
        case OpKind::receive:
        case OpKind::collective: return Activity::communication;
        default: return std::nullopt;
    }
}

class RankInstants {
public:
    // `is_inside`: the span is part of a computation.
    void add(const Span& span, Activity activity, std::size_t label, bool is_inside) {
        of_[static_cast<std::size_t>(activity)].add(span.begin, span.end);
        if (is_inside) {
            inside_.add(span.begin, span.end);
        }
        labels_[label].add(span.begin, span.end);
        if (activity == Activity::communication) {
            transfer_.add(span.begin + span.idle, span.end);
        }
    }

    Shares shares(Duration window) {
        for (Instants& instants : of_) {
            instants.join();
        }
        transfer_.join();
        inside_.join();
        of_[static_cast<std::size_t>(Activity::compute)] = of(Activity::compute).without(inside_);
        const Instants& compute = of(Activity::compute);
        const Instants& communication = of(Activity::communication);
        not_copies_ = compute.joined_with(communication);
        const Duration overlapped = communication.common_with(compute);
        const Duration exposed = communication.length() - overlapped;
        const Duration copies = own_part(of(Activity::copies), Activity::copies);
        return {.compute = seconds(compute.length()),
                .exposed = seconds(exposed),
                .copies = seconds(copies),
                .idle = seconds(window - not_copies_.length() - copies),
                .waiting = seconds(exposed - (transfer_.length() - transfer_.common_with(compute))),
                .overlapped = seconds(overlapped)};
    }

    // Calls add(label, seconds) for each label of the rank. Requires: shares() was called.
    template <class Add>
    void for_each_label(const std::vector<LabelShare>& labels, Add add) {
        for (auto& [label, instants] : labels_) {
            instants.join();
            add(label, own_part(instants, labels[label].activity));
        }
    }

private:
    const Instants& of(Activity activity) const { return of_[static_cast<std::size_t>(activity)]; }

    // The part that no activity of higher precedence hides.
    Duration own_part(const Instants& instants, Activity activity) const {
        switch (activity) {
            case Activity::communication: return instants.length() - instants.common_with(of(Activity::compute));
            case Activity::copies: return instants.length() - instants.common_with(not_copies_);
            case Activity::compute: break;
        }
        return instants.common_with(of(Activity::compute));
    }

    std::array<Instants, 3> of_;
    Instants inside_;    // other activity inside computations
    Instants transfer_;  // communication without the waiting
    Instants not_copies_;
    std::unordered_map<std::size_t, Instants> labels_;
};

class LabelNumbers {
public:
    explicit LabelNumbers(const report::Timeline& timeline) : timeline_(&timeline) {}

    std::size_t of(const Span& span, Activity activity, std::vector<LabelShare>& labels) {
        const auto [at, is_new] = by_place_.try_emplace({span.label, activity}, 0);
        if (is_new) {
            const std::string& work = *timeline_->work_of(span);
            at->second = by_text_.try_emplace({work, activity}, labels.size()).first->second;
            if (at->second == labels.size()) {
                labels.push_back({.label = work, .activity = activity});
            }
        }
        return at->second;
    }

private:
    const report::Timeline* timeline_;
    std::map<std::pair<const std::string*, Activity>, std::size_t> by_place_;
    std::map<std::pair<std::string, Activity>, std::size_t> by_text_;
};

void count_message(const Span& span, TraceShares& shares) {
    shares.collectives += span.kind == OpKind::collective ? 1 : 0;
    if (span.kind != OpKind::send) {
        return;
    }
    ++shares.messages;
    if (span.measure == Measure::units) {
        shares.units += Units::from_billionths(span.amount).value();
    } else {
        add_checked(shares.bytes, span.amount);
    }
}

// Averages over the ranks with spans; the others have no account.
void add_account(const report::Timeline& timeline, TraceShares& shares) {
    if (timeline.account.empty()) {
        return;
    }
    shares.has_account = true;
    const std::vector<trace::TimeParts> parts = timeline.time_of_ranks();
    TimeBySeconds sum{};
    for (const int rank : shares.ranks) {
        TimeBySeconds& account = shares.accounts.emplace_back();
        for (std::size_t kind = 0; kind < time_categories; ++kind) {
            account[kind] = seconds(parts[static_cast<std::size_t>(rank)].of[kind]);
            sum[kind] += account[kind];
        }
    }
    for (std::size_t kind = 0; kind < time_categories; ++kind) {
        shares.account[kind] = sum[kind] / static_cast<double>(shares.ranks.size());
        shares.step += shares.account[kind];
    }
}

}  // namespace

std::string_view name_of(Activity activity) {
    switch (activity) {
        case Activity::communication: return "communication";
        case Activity::copies: return "copies";
        case Activity::compute: break;
    }
    return "compute";
}

std::span<const ShareRow> share_rows() {
    return rows;
}

TraceShares shares_of(const report::Timeline& timeline) {
    TraceShares shares;
    std::map<int, RankInstants> ranks;
    LabelNumbers numbers(timeline);
    Time end = timeline.end;
    for (const Span& span : timeline.spans) {
        RankInstants& rank = ranks[span.rank];
        end = std::max(end, span.end);
        if (const auto activity = activity_of(span)) {
            const std::size_t label = numbers.of(span, *activity, shares.labels);
            rank.add(span, *activity, label, !timeline.counts(span));
            ++shares.labels[label].spans;
            shares.labels[label].lasted += seconds(span.end - span.begin);
            count_message(span, shares);
        }
    }
    shares.window = seconds(end);
    const auto count = static_cast<double>(std::max(ranks.size(), std::size_t{1}));
    for (auto& [number, rank] : ranks) {
        shares.ranks.push_back(number);
        shares.of_rank.push_back(rank.shares(end.time_since_epoch()));
        for (const ShareRow& row : rows) {
            shares.mean.*row.value += shares.of_rank.back().*row.value / count;
        }
        rank.for_each_label(shares.labels,
                            [&](std::size_t label, Duration s) { shares.labels[label].exposed += seconds(s) / count; });
    }
    add_account(timeline, shares);
    for (LabelShare& label : shares.labels) {
        label.lasted /= count;
    }
    std::stable_sort(shares.labels.begin(), shares.labels.end(),
                     [](const LabelShare& a, const LabelShare& b) { return a.exposed > b.exposed; });
    return shares;
}

}  // namespace sim::trace_files
