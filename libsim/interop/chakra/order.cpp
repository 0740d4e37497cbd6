#include "libsim/interop/chakra/plan.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <tuple>

namespace sim::chakra {

namespace {

enum class Progress : std::uint8_t { waits, may_begin, begun };

class FreeRun {
public:
    explicit FreeRun(const OrderQuestion& question) : question_(&question) {
        for (const Graph& graph : question.graphs) {
            Rank rank;
            rank.dependents.resize(graph.size());
            rank.progress.resize(graph.size());
            rank.missing.resize(graph.size());
            for (std::size_t node = 0; node < graph.size(); ++node) {
                rank.missing[node] = graph[node].size();
                for (const std::uint32_t dep : graph[node]) {
                    rank.dependents[dep].push_back(static_cast<std::uint32_t>(node));
                }
            }
            ranks_.push_back(std::move(rank));
        }
        for (const Meeting& meeting : question.meetings.all) {
            missing_.push_back(meeting.nodes.size());
        }
    }

    std::vector<std::vector<std::uint32_t>> run() {
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            for (std::size_t node = 0; node < ranks_[rank].missing.size(); ++node) {
                if (ranks_[rank].missing[node] == 0) {
                    add(Time{}, What::may_begin, {static_cast<int>(rank), static_cast<std::uint32_t>(node)});
                }
            }
        }
        while (!events_.empty()) {
            const Event event = events_.top();
            events_.pop();
            switch (event.what) {
                case What::ends: end(event.at, event.node); break;
                case What::may_begin: may_begin(event.at, event.node); break;
                case What::is_free: compute_next(event.at, event.node.rank); break;
            }
        }
        std::vector<std::vector<std::uint32_t>> orders;
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            for (std::size_t node = 0; node < ranks_[rank].progress.size(); ++node) {
                if (ranks_[rank].progress[node] != Progress::begun) {
                    throw DeadlockError(explain({static_cast<int>(rank), static_cast<std::uint32_t>(node)}));
                }
            }
            orders.push_back(std::move(ranks_[rank].order));
        }
        return orders;
    }

private:
    struct Rank {
        Graph dependents;
        std::vector<std::size_t> missing;
        std::vector<Progress> progress;
        std::vector<std::uint32_t> order;
        std::set<std::uint32_t> computations;  // computations that may begin
        Time free;
    };
    // Events at the same time are processed in this order.
    enum class What : std::uint8_t { ends, may_begin, is_free };
    struct Event {
        Time at;
        What what;
        std::uint64_t id;
        NodeAt node;
        auto key() const { return std::tuple(at, what, id, node.rank); }
        friend bool operator>(const Event& a, const Event& b) { return a.key() > b.key(); }
    };

    Rank& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
    const Rank& of(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
    const Node& node(const NodeAt& at) const {
        return question_->traces.ranks[static_cast<std::size_t>(at.rank)].nodes[at.node];
    }
    std::int32_t meeting_of(const NodeAt& at) const {
        return question_->meetings.of[static_cast<std::size_t>(at.rank)][at.node];
    }
    void add(Time at, What what, const NodeAt& node_at) { events_.push({at, what, node(node_at).id, node_at}); }

    void end(Time at, const NodeAt& ended) {
        Rank& rank = of(ended.rank);
        for (const std::uint32_t dependent : rank.dependents[ended.node]) {
            if (--rank.missing[dependent] == 0) {
                add(at, What::may_begin, {ended.rank, dependent});
            }
        }
    }

    void begin(Time at, const NodeAt& begun, Duration time = Duration{0}) {
        of(begun.rank).progress[begun.node] = Progress::begun;
        of(begun.rank).order.push_back(begun.node);
        add(later(at, time), What::ends, begun);
    }

    void may_begin(Time at, const NodeAt& ready) {
        Rank& rank = of(ready.rank);
        rank.progress[ready.node] = Progress::may_begin;
        const std::int32_t number = meeting_of(ready);
        if (number >= 0) {
            meet(at, ready, static_cast<std::size_t>(number));
        } else if (question_->times[static_cast<std::size_t>(ready.rank)][ready.node] > Duration{0}) {
            rank.computations.insert(ready.node);
            add(std::max(at, rank.free), What::is_free, ready);
        } else {
            begin(at, ready);
        }
    }

    // A send begins alone, a receive when its send has begun, and a collective when all its members may.
    void meet(Time at, const NodeAt& ready, std::size_t number) {
        const Meeting& meeting = question_->meetings.all[number];
        missing_[number] -= 1;
        if (node(ready).kind == NodeKind::send) {
            begin(at, ready);
        }
        for (std::size_t i = 0; missing_[number] == 0 && i < meeting.nodes.size(); ++i) {
            if (node(meeting.nodes[i]).kind != NodeKind::send) {
                begin(at, meeting.nodes[i]);
            }
        }
    }

    // The set is ordered, so its first element has the smallest id.
    void compute_next(Time at, int number) {
        Rank& rank = of(number);
        if (rank.computations.empty() || rank.free > at) {
            return;
        }
        const NodeAt next{number, *rank.computations.begin()};
        rank.computations.erase(rank.computations.begin());
        const Duration time = question_->times[static_cast<std::size_t>(number)][next.node];
        begin(at, next, time);
        rank.free = later(at, time);
        if (!rank.computations.empty()) {
            add(rank.free, What::is_free, {number, *rank.computations.begin()});
        }
    }

    // The node that `stuck` waits for, and why.
    std::pair<NodeAt, std::string> awaited_by(const NodeAt& stuck) const {
        const Rank& rank = of(stuck.rank);
        const Traces& traces = question_->traces;
        if (rank.progress[stuck.node] == Progress::waits) {
            for (const std::uint32_t dep : question_->graphs[static_cast<std::size_t>(stuck.rank)][stuck.node]) {
                const NodeAt at{stuck.rank, dep};
                if (rank.progress[dep] != Progress::begun) {
                    return {at, fmt::format("depends on {}", describe(node(at)))};
                }
            }
        }
        const Meeting& meeting = question_->meetings.all[static_cast<std::size_t>(meeting_of(stuck))];
        const auto missing = std::find_if(meeting.nodes.begin(), meeting.nodes.end(), [&](const NodeAt& at) {
            return of(at.rank).progress[at.node] == Progress::waits;
        });
        return {*missing, fmt::format("{} {}", meeting.group >= 0 ? "waits in its collective for" : "waits for",
                                      describe(traces, *missing))};
    }

    std::string explain(NodeAt at) const {
        constexpr std::size_t most_lines = 16;
        std::set<std::pair<int, std::uint32_t>> seen;
        while (seen.insert({at.rank, at.node}).second) {
            at = awaited_by(at).first;
        }
        std::size_t stuck = 0;
        for (const Rank& rank : ranks_) {
            stuck += static_cast<std::size_t>(std::count_if(rank.progress.begin(), rank.progress.end(),
                                                            [](Progress one) { return one != Progress::begun; }));
        }
        std::string text = fmt::format("deadlock: {} nodes can never begin, because these wait for each other", stuck);
        const NodeAt first = at;
        for (std::size_t line = 0; line < most_lines; ++line) {
            const auto [next, why] = awaited_by(at);
            text += fmt::format("\n  {}   {}", describe(question_->traces, at), why);
            at = next;
            if (at.rank == first.rank && at.node == first.node) {
                return text;
            }
        }
        return text + "\n  …";
    }

    const OrderQuestion* question_;
    std::vector<Rank> ranks_;
    std::vector<std::size_t> missing_;  // by meeting: how many nodes may not begin yet
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> order_of(const OrderQuestion& question) {
    return FreeRun(question).run();
}

}  // namespace sim::chakra
