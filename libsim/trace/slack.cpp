#include "libsim/trace/slack.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace sim::trace {

namespace {

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

std::vector<Duration> slack_of(std::span<const Span> spans) {
    return Backwards(spans).slack();
}

}  // namespace sim::trace
