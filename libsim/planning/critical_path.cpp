#include "libsim/planning/critical_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace sim::planning {

namespace {

using training::StepWork;

constexpr std::size_t works_shown = 3;

bool is_work(const Span& span) {
    return span.kind != OpKind::log && span.kind != OpKind::allocate && span.end > span.begin;
}

// Spans of each rank by their ends, and where each message was sent.
class Timeline {
public:
    explicit Timeline(std::span<const Span> spans) {
        for (const Span& span : spans) {
            if (span.kind == OpKind::send && span.message != 0) {
                sends_.emplace(span.message, &span);
            }
            if (is_work(span)) {
                by_rank_[span.rank].push_back(&span);
            }
            if (span.kind == OpKind::collective) {
                const Span*& last = last_of_collective_[{span.end, works_.of(*span.label)}];
                if (last == nullptr || span.begin > last->begin) {
                    last = &span;
                }
            }
        }
        for (auto& [rank, list] : by_rank_) {
            // At one end: work of the rank's own after messages, so that it is met first on the way back.
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

    // Who came last to a collective, for which the others waited; `span` itself where it is none, or was the last.
    const Span* held_up_by(const Span& span) {
        if (span.kind != OpKind::collective) {
            return &span;
        }
        const Span* const last = last_of_collective_.at({span.end, work_of(span)});
        return last->begin > span.begin ? last : &span;
    }

    StepWork work_of(const Span& span) { return works_.of(*span.label); }

private:
    std::map<int, std::vector<const Span*>> by_rank_;
    std::map<std::pair<Time, StepWork>, const Span*> last_of_collective_;
    std::unordered_map<std::uint64_t, const Span*> sends_;
    training::StepWorks works_;
};

// A piece under construction: how long each kind of work took in it.
struct Draft {
    int rank;
    int to;
    Time begin;
    Time end;
    std::map<StepWork, PathPart> parts;
};

std::vector<PathPart> longest_first(const std::map<StepWork, PathPart>& parts) {
    std::vector<PathPart> sorted;
    for (const auto& [work, part] : parts) {
        sorted.push_back({work, part.times, part.length});
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.length > b.length; });
    return sorted;
}

std::string most_of(const std::vector<PathPart>& sorted) {
    std::string text;
    for (std::size_t i = 0; i < std::min(sorted.size(), works_shown); ++i) {
        text += (text.empty() ? "" : ", ") + std::string(training::label_of(sorted[i].work));
    }
    return sorted.size() > works_shown ? text + " …" : text;
}

void add(std::vector<Draft>& drafts, StepWork work, Time begin, Time end, int rank, int to) {
    const bool goes_on = !drafts.empty() && drafts.back().rank == rank && drafts.back().to == to && to < 0;
    if (!goes_on) {
        drafts.push_back({rank, to, begin, end, {}});
    }
    drafts.back().begin = begin;
    PathPart& part = drafts.back().parts[work];
    ++part.times;
    part.length += end - begin;
}

}  // namespace

std::vector<PathPiece> critical_path(std::span<const Span> spans) {
    Timeline timeline(spans);
    std::vector<Draft> drafts;  // backwards
    const Span* span = timeline.last();
    Time time = span == nullptr ? Time{} : span->end;
    while (span != nullptr) {
        if (span->end == time) {
            span = timeline.held_up_by(*span);
        }
        const Span* send = timeline.send_of(*span);
        int rank = span->rank;
        Time begin = std::min(span->begin, time);
        // A message holds its receiver up only where it came after all that the receiver did itself.
        if (send != nullptr && send->rank != rank && send->begin < time) {
            begin = send->begin;
            add(drafts, timeline.work_of(*span), begin, time, send->rank, rank);
            rank = send->rank;
        } else {
            add(drafts, timeline.work_of(*span), begin, std::min(span->end, time), rank, -1);
        }
        if (begin >= time) {
            break;
        }
        time = begin;
        span = timeline.before(rank, time);
    }
    std::vector<PathPiece> path;
    for (auto draft = drafts.rbegin(); draft != drafts.rend(); ++draft) {
        std::vector<PathPart> parts = longest_first(draft->parts);
        const std::string what = most_of(parts);
        path.push_back({draft->rank, draft->to, what, draft->begin, draft->end, std::move(parts)});
    }
    return path;
}

std::vector<PathSum> summed(const std::vector<PathPiece>& path) {
    std::map<std::pair<bool, StepWork>, std::map<int, PathPart>> by_rank;
    for (const PathPiece& piece : path) {
        for (const PathPart& part : piece.parts) {
            PathPart& all = by_rank[{piece.to >= 0, part.work}][piece.rank];
            all.times += part.times;
            all.length += part.length;
        }
    }
    std::vector<PathSum> sums;
    for (const auto& [what, ranks] : by_rank) {
        PathSum sum{.part = {.work = what.second}, .message = what.first, .ranks = static_cast<int>(ranks.size())};
        for (const auto& [rank, part] : ranks) {
            sum.part.times += part.times;
            sum.part.length += part.length;
            if (part.length > sum.on_busiest) {
                sum.busiest = rank;
                sum.on_busiest = part.length;
            }
        }
        sums.push_back(std::move(sum));
    }
    std::stable_sort(sums.begin(), sums.end(),
                     [](const PathSum& a, const PathSum& b) { return a.part.length > b.part.length; });
    return sums;
}

std::vector<int> turns(const std::vector<PathPiece>& path) {
    std::vector<int> ranks;
    for (const PathPiece& piece : path) {
        const int rank = piece.rank;
        if (!ranks.empty() && ranks.back() == rank) {
            continue;
        }
        const std::size_t n = ranks.size();
        const bool goes_on = n >= 2 && (ranks[n - 1] > ranks[n - 2]) == (rank > ranks[n - 1]);
        if (goes_on) {
            ranks.back() = rank;
        } else {
            ranks.push_back(rank);
        }
    }
    return ranks;
}

std::vector<PathPiece> shortened(const std::vector<PathPiece>& path, std::size_t most) {
    if (path.size() <= most) {
        return path;
    }
    const std::size_t head = most / 2;
    const std::size_t tail = most - head - 1;
    std::vector<PathPiece> less(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(head));
    std::set<int> ranks;
    for (std::size_t i = head; i < path.size() - tail; ++i) {
        ranks.insert(path[i].rank);
    }
    const PathPiece& first = path[head];
    const PathPiece& last = path[path.size() - tail - 1];
    less.push_back({first.rank, -1,
                    fmt::format("{} more pieces of {} ranks in turn", path.size() - tail - head, ranks.size()),
                    first.begin, last.end});
    less.insert(less.end(), path.end() - static_cast<std::ptrdiff_t>(tail), path.end());
    return less;
}

}  // namespace sim::planning
