#include "libsim/trace/critical_path.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace sim::trace {

namespace {

bool is_path_work(const Span& span) {
    return span.kind != OpKind::log && span.kind != OpKind::allocate && span.end > span.begin;
}

// Spans of each rank sorted by end, both ends of each message, and the last member of each collective.
class Ends {
public:
    explicit Ends(std::span<const Span> spans) {
        for (const Span& span : spans) {
            if (span.message != 0) {
                (span.kind == OpKind::send ? sends_ : receives_).emplace(span.message, &span);
            }
            if (is_path_work(span)) {
                by_rank_[span.rank].push_back(&span);
            }
            if (span.kind == OpKind::collective) {
                const Span*& last = last_of_collective_[{span.end, *span.label}];
                if (last == nullptr || span.begin > last->begin) {
                    last = &span;
                }
            }
        }
        for (auto& [rank, list] : by_rank_) {
            // Among equal ends, the rank's own work comes after messages, so that walking back meets it first.
            std::stable_sort(list.begin(), list.end(), [](const Span* a, const Span* b) {
                return std::pair{a->end, a->kind != OpKind::receive} < std::pair{b->end, b->kind != OpKind::receive};
            });
        }
    }

    const Span* last() const {
        const Span* latest = nullptr;
        for (const auto& [rank, list] : by_rank_) {
            if (latest == nullptr || list.back()->end > latest->end) {
                latest = list.back();
            }
        }
        return latest;
    }
    // The last span of `rank` that ended by `time` and began before it.
    const Span* before(int rank, Time time) const {
        const auto found = by_rank_.find(rank);
        if (found == by_rank_.end()) {
            return nullptr;
        }
        const auto& list = found->second;
        const auto after =
            std::upper_bound(list.begin(), list.end(), time, [](Time t, const Span* s) { return t < s->end; });
        return after == list.begin() ? nullptr : *(after - 1);
    }
    const Span* send_of(const Span& receive) const {
        const auto found = sends_.find(receive.message);
        return receive.kind != OpKind::receive || found == sends_.end() ? nullptr : found->second;
    }
    // The receive that the sender waited for; null if it did not wait.
    const Span* awaited_by(const Span& send) const {
        const auto found = receives_.find(send.message);
        const bool waited = send.kind == OpKind::send && send.idle > Duration{0} && found != receives_.end();
        return waited && found->second->begin > send.begin ? found->second : nullptr;
    }
    // The last member to join a collective, which the others waited for; `span` itself if it is no collective or was
    // last.
    const Span* held_up_by(const Span& span) const {
        if (span.kind != OpKind::collective) {
            return &span;
        }
        const Span* const last = last_of_collective_.at({span.end, *span.label});
        return last->begin > span.begin ? last : &span;
    }

private:
    std::map<int, std::vector<const Span*>> by_rank_;
    std::map<std::pair<Time, std::string_view>, const Span*> last_of_collective_;
    std::unordered_map<std::uint64_t, const Span*> sends_;
    std::unordered_map<std::uint64_t, const Span*> receives_;
};

// The step that ends at `time` with `span`, and the rank on which the path continues from its beginning.
std::pair<PathStep, int> step_back(const Ends& ends, const Span& span, Time time) {
    const PathStep work{&span, span.rank, -1, std::min(span.begin, time), std::min(span.end, time)};
    if (const Span* const receive = ends.awaited_by(span); receive != nullptr && receive->begin < time) {
        return {{&span, span.rank, -1, receive->begin, work.end}, receive->rank};
    }
    const Span* const send = ends.send_of(span);
    if (send == nullptr || send->rank == span.rank || send->begin >= time || ends.awaited_by(*send) == &span) {
        return {work, span.rank};
    }
    // A message delays its receiver only if it arrived after everything that the receiver did itself.
    return {{&span, send->rank, span.rank, send->begin, time}, send->rank};
}

using Place = std::size_t;  // index of a span

constexpr Place nowhere = static_cast<Place>(-1);

class Backwards {
public:
    explicit Backwards(std::span<const Span> spans)
        : spans_(spans), late_(spans.size(), Duration::max()), partner_(spans.size(), nowhere), group_(spans.size()) {
        std::unordered_map<std::uint64_t, Place> half;
        std::map<std::pair<Time, std::string_view>, std::size_t> groups;
        for (Place i = 0; i < spans_.size(); ++i) {
            const Span& span = spans_[i];
            if (span.kind == OpKind::log || span.kind == OpKind::allocate) {
                continue;
            }
            by_rank_[span.rank].push_back(i);
            if (span.message != 0) {
                const auto [other, is_first] = half.try_emplace(span.message, i);
                if (!is_first) {
                    partner_[i] = other->second;
                    partner_[other->second] = i;
                }
            }
            if (span.kind == OpKind::collective) {
                group_[i] = groups.try_emplace({span.end, *span.label}, groups.size()).first->second;
            }
        }
        late_group_.resize(groups.size(), Duration::max());
    }

    std::vector<Duration> slack() {
        std::vector<std::pair<Place, std::size_t>> order;  // spans, with their positions in their rank's list
        for (auto& [rank, list] : by_rank_) {
            std::stable_sort(list.begin(), list.end(),
                             [&](Place a, Place b) { return spans_[a].begin < spans_[b].begin; });
            for (std::size_t at = 0; at < list.size(); ++at) {
                order.emplace_back(list[at], at);
                end_ = std::max(end_, spans_[list[at]].end);
            }
        }
        // Among spans with the same end, the later in the program comes first.
        std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
            return std::tuple(spans_[a.first].end, a.second, a.first) >
                   std::tuple(spans_[b.first].end, b.second, b.first);
        });
        for (const auto& [place, at] : order) {
            late_[place] = after(place, at);
            if (spans_[place].kind == OpKind::collective) {
                Duration& all = late_group_[group_[place]];
                all = std::min(all, late_[place]);
            }
        }
        return std::move(late_);
    }

private:
    // The slack of a span's end with regard to its own rank's next spans.
    Duration after(Place place, std::size_t at) const {
        const Span& span = spans_[place];
        const std::vector<Place>& list = by_rank_.at(span.rank);
        auto next = std::lower_bound(list.begin() + static_cast<std::ptrdiff_t>(at) + 1, list.end(), span.end,
                                     [&](Place p, Time time) { return spans_[p].begin < time; });
        Duration late = end_ - span.end;
        const Time first = next == list.end() ? Time{} : spans_[*next].begin;
        for (; next != list.end() && spans_[*next].begin == first; ++next) {
            late = std::min(late, start_of(*next) + (first - span.end));
        }
        return late;
    }

    // The slack of a span's beginning. Requires: the slack of all spans that end later is known.
    Duration start_of(Place place) const {
        const Span& span = spans_[place];
        const Duration own = span.kind == OpKind::collective ? late_group_[group_[place]] : late_[place];
        const Duration begin = own == Duration::max() ? own : own + span.idle;
        if (partner_[place] == nowhere || late_[partner_[place]] == Duration::max()) {
            return begin;
        }
        const Span& other = spans_[partner_[place]];
        const Duration there = late_[partner_[place]];
        if (span.kind == OpKind::send) {
            return std::min(begin, there + std::max({Duration{0}, span.idle, other.begin - span.end}));
        }
        return other.idle > Duration{0} ? std::min(begin, there) : begin;
    }

    std::span<const Span> spans_;
    std::vector<Duration> late_;
    std::vector<Place> partner_;        // the other end of a message
    std::vector<std::size_t> group_;    // collective that a span belongs to
    std::vector<Duration> late_group_;  // the least of its members
    std::map<int, std::vector<Place>> by_rank_;
    Time end_;
};

}  // namespace

std::vector<PathStep> critical_steps(std::span<const Span> spans) {
    const Ends ends(spans);
    std::vector<PathStep> steps;  // in reverse order
    const Span* span = ends.last();
    Time time = span == nullptr ? Time{} : span->end;
    while (span != nullptr) {
        if (span->end == time) {
            span = ends.held_up_by(*span);
        }
        const auto [step, rank] = step_back(ends, *span, time);
        steps.push_back(step);
        if (step.begin >= time) {
            break;
        }
        time = step.begin;
        span = ends.before(rank, time);
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

std::vector<Duration> slack_of(std::span<const Span> spans) {
    return Backwards(spans).slack();
}

}  // namespace sim::trace
