#include "libsim/predict/critical_path.hpp"

#include "libsim/trace/critical_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace sim::predict {

namespace {

using training::StepWork;

constexpr std::size_t works_shown = 3;

// A piece under construction, with the time of each kind of work in it.
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
    training::StepWorks works;
    const std::vector<trace::PathStep> steps = trace::critical_steps(spans);
    std::vector<Draft> drafts;  // in reverse order
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        add(drafts, works.of(*step->span->label), step->begin, step->end, step->rank, step->to);
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

}  // namespace sim::predict
