#include "libsim/trace/critical_path.hpp"

#include <algorithm>
#include <map>
#include <string_view>
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

}  // namespace sim::trace
