#include "libsim/trace/stragglers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace sim::trace {

namespace {

constexpr double slow_rank = 1.05;
constexpr double slow_link = 1.5;
constexpr int shortest_standstill = 100;  // runs are at least this many times as long

// A kind of work, and who did it: a rank, or the two ends of a message.
using What = std::tuple<std::string, Measure, std::int64_t>;
using Who = std::pair<int, int>;

struct Done {
    Duration time{0};
    std::int64_t times = 0;

    double picoseconds() const { return static_cast<double>(time.count()); }
    double mean() const { return picoseconds() / static_cast<double>(times); }
};
using DoneBy = std::map<Who, Done>;

// The usual duration: the lower median of the means; 0: nobody else did it.
double usual(const DoneBy& all) {
    if (all.size() < 2) {
        return 0;
    }
    std::vector<double> means;
    for (const auto& [who, done] : all) {
        means.push_back(done.mean());
    }
    const auto middle = means.begin() + static_cast<std::ptrdiff_t>((means.size() - 1) / 2);
    std::nth_element(means.begin(), middle, means.end());
    return *middle;
}

// The time spent on work that others did too, and its usual time, both in picoseconds.
struct Compared {
    double took = 0;
    double usually = 0;

    double factor() const { return usually > 0 ? took / usually : 1; }
    Duration lost() const { return Duration{std::llround(std::max(took - usually, 0.0))}; }
};

using AllDone = std::map<What, DoneBy>;

std::map<Who, Compared> compared(const AllDone& all, const std::map<What, double>& usually) {
    std::map<Who, Compared> found;
    for (const auto& [what, by] : all) {
        const double each = usually.at(what);
        for (const auto& [who, done] : by) {
            if (each > 0) {
                found[who].took += done.picoseconds();
                found[who].usually += each * static_cast<double>(done.times);
            }
        }
    }
    return found;
}

std::string without_digits(std::string label) {
    std::erase_if(label, [](char c) { return c >= '0' && c <= '9'; });
    return label;
}

// Classifies spans by the labels of all.
class Kinds {
public:
    explicit Kinds(std::span<const Span> spans) {
        for (const Span& span : spans) {
            if (span.kind == OpKind::compute) {
                const auto [at, is_new] = rank_of_.emplace(span.label, span.rank);
                at->second = is_new || at->second == span.rank ? span.rank : several;
            }
        }
        std::map<std::string_view, int> by_text;
        for (const auto& [label, rank] : rank_of_) {
            const auto [at, is_new] = by_text.emplace(*label, rank);
            at->second = is_new || at->second == rank ? rank : several;
        }
        for (auto& [label, rank] : rank_of_) {
            rank = by_text.at(*label);
        }
    }

    What of(const Span& span) const {
        if (span.kind != OpKind::compute) {
            return {"", span.measure, span.amount};
        }
        const bool shared = rank_of_.at(span.label) == several;
        return {shared ? *span.label : without_digits(*span.label), span.measure, span.amount};
    }

private:
    static constexpr int several = -1;

    std::map<const std::string*, int> rank_of_;  // the only rank that uses this label
};

// The time to send a message, without the wait for its receiver.
Duration work_of(const Span& span) {
    return span.end - span.begin - span.idle;
}

struct Everything {
    AllDone computations;
    AllDone messages;
    Time end;
};

Everything gathered(std::span<const Span> spans, const Kinds& kinds) {
    Everything all;
    for (const Span& span : spans) {
        all.end = std::max(all.end, span.end);
        const bool computes = span.kind == OpKind::compute;
        if (!computes && span.kind != OpKind::send) {
            continue;
        }
        const Who who = computes ? Who{span.rank, -1} : Who{span.rank, span.peer};
        Done& done = (computes ? all.computations : all.messages)[kinds.of(span)][who];
        done.time += work_of(span);
        done.times += 1;
    }
    return all;
}

std::map<What, double> usual_of(const AllDone& all) {
    std::map<What, double> found;
    for (const auto& [what, by] : all) {
        found.emplace(what, usual(by));
    }
    return found;
}

template <class Item>
void most_lost_first(std::vector<Item>& items) {
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.lost > b.lost; });
}

// Sets the times at which ranks were slow.
void note_times(std::span<const Span> spans, const Kinds& kinds, const std::map<What, double>& usually,
                std::vector<Straggler>& ranks) {
    for (Straggler& one : ranks) {
        one.from = Time::max();
        for (const Span& span : spans) {
            const bool is_its = span.rank == one.rank && span.kind == OpKind::compute;
            const double each = is_its ? usually.at(kinds.of(span)) : 0;
            if (each > 0 && static_cast<double>(work_of(span).count()) >= slow_rank * each) {
                one.from = std::min(one.from, span.begin);
                one.until = std::max(one.until, span.end);
            }
        }
    }
}

// Gaps between two ops of a rank's program, or before the first, during which none of its streams computes.
std::vector<Standstill> standstills(std::span<const Span> spans, Time end) {
    std::map<int, std::vector<const Span*>> of_rank;
    for (const Span& span : spans) {
        if (span.stream == Stream::main || span.kind == OpKind::compute) {
            of_rank[span.rank].push_back(&span);
        }
    }
    const Duration least = std::max(end.time_since_epoch() / shortest_standstill, Duration{1});
    std::vector<Standstill> found;
    for (auto& [rank, all] : of_rank) {
        std::stable_sort(all.begin(), all.end(), [](const Span* a, const Span* b) { return a->begin < b->begin; });
        Time reached;
        for (const Span* const span : all) {
            if (span->begin - reached >= least) {
                found.push_back({rank, reached, span->begin - reached});
            }
            reached = std::max(reached, span->end);
        }
    }
    most_lost_first(found);
    return found;
}

}  // namespace

Blame blame(std::span<const Span> spans) {
    const Kinds kinds(spans);
    const Everything all = gathered(spans, kinds);
    const std::map<What, double> usual_computations = usual_of(all.computations);
    Blame blame{.standstills = standstills(spans, all.end)};
    for (const auto& [who, one] : compared(all.computations, usual_computations)) {
        blame.judged += 1;
        if (one.factor() >= slow_rank) {
            blame.ranks.push_back({.rank = who.first, .factor = one.factor(), .lost = one.lost()});
        }
    }
    most_lost_first(blame.ranks);
    note_times(spans, kinds, usual_computations, blame.ranks);
    for (const auto& [who, one] : compared(all.messages, usual_of(all.messages))) {
        if (one.factor() >= slow_link) {
            blame.links.push_back({who.first, who.second, one.factor(), one.lost()});
        }
    }
    most_lost_first(blame.links);
    return blame;
}

}  // namespace sim::trace
