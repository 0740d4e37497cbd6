#include "libsim/interop/chakra/plan.hpp"

#include "libsim/check.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace sim::chakra {

namespace {

// A lane is a stream, on which nodes end in sequence, or a single asynchronous op.
using Lane = std::int64_t;
// The required progress of each lane. The program's own lane is omitted: it is already past the nodes it issues.
using Frontier = std::map<Lane, std::uint32_t>;

constexpr Lane lane_of(Stream stream, std::uint32_t step) {
    return stream == Stream::own ? Lane{256} + step : static_cast<Lane>(stream);
}

class Planner {
public:
    explicit Planner(const PlanQuestion& question)
        : question_(&question),
          missing_(question.graph.size()),
          dependents_(question.graph.size()),
          ended_(question.graph.size()) {
        for (std::uint32_t node = 0; node < question.graph.size(); ++node) {
            missing_[node] = question.graph[node].size();
            for (const std::uint32_t dep : question.graph[node]) {
                dependents_[dep].push_back(node);
            }
        }
    }

    Plan plan() {
        for (const std::uint32_t node : question_->order) {
            if (question_->streams[node]) {
                const Stream stream = question_->keeps_order ? Stream::main : *question_->streams[node];
                queues_[stream].push_back(node);
            } else if (question_->graph[node].empty()) {
                end(node);
            }
        }
        std::deque<std::uint32_t>& own = queues_[Stream::main];
        while (true) {
            hand_over();
            if (own.empty()) {
                break;
            }
            take(own);
        }
        for (const auto& [stream, queue] : queues_) {
            check(queue.empty(), "a node of the trace has no place in the program");
        }
        return std::move(plan_);
    }

private:
    // Issues all nodes of other streams whose dependencies have all been issued.
    void hand_over() {
        for (bool moved = true; moved;) {
            moved = false;
            for (auto& [stream, queue] : queues_) {
                while (stream != Stream::main && !queue.empty() && missing_[queue.front()] == 0) {
                    take(queue);
                    moved = true;
                }
            }
        }
    }

    void take(std::deque<std::uint32_t>& queue) {
        const std::uint32_t node = queue.front();
        queue.pop_front();
        check(missing_[node] == 0, "a node of the trace comes before what it depends on");
        const auto number = static_cast<std::uint32_t>(plan_.size());
        Step step{.node = node, .stream = *question_->streams[node]};
        // An asynchronous op begins at the program's current position.
        const Lane lane = step.stream == Stream::own ? 0 : lane_of(step.stream, number);
        for (const auto& [other, place] : needed_by(node)) {
            if (other != lane && !knows(lane, other, place) && !knows(0, other, place)) {
                known_[{lane, other}] = place;
                step.waits.push_back(place);
                plan_[place].is_awaited = true;
            }
        }
        plan_.push_back(std::move(step));
        ended_[node].clear();
        if (*question_->streams[node] != Stream::main) {
            ended_[node][lane_of(*question_->streams[node], number)] = number;
        }
        end(node);
    }

    bool knows(Lane lane, Lane other, std::uint32_t place) const {
        const auto at = known_.find({lane, other});
        return at != known_.end() && at->second >= place;
    }

    Frontier needed_by(std::uint32_t node) const {
        Frontier all;
        for (const std::uint32_t dep : question_->graph[node]) {
            for (const auto& [lane, place] : ended_[dep]) {
                std::uint32_t& latest = all.try_emplace(lane, place).first->second;
                latest = std::max(latest, place);
            }
        }
        return all;
    }

    // A node without time ends together with the last node that it depends on.
    void end(std::uint32_t first) {
        std::vector<std::uint32_t> ending{first};
        while (!ending.empty()) {
            const std::uint32_t node = ending.back();
            ending.pop_back();
            for (const std::uint32_t dependent : dependents_[node]) {
                missing_[dependent] -= 1;
                if (missing_[dependent] == 0 && !question_->streams[dependent]) {
                    ended_[dependent] = needed_by(dependent);
                    ending.push_back(dependent);
                }
            }
        }
    }

    const PlanQuestion* question_;
    std::vector<std::size_t> missing_;
    std::vector<std::vector<std::uint32_t>> dependents_;
    std::vector<Frontier> ended_;  // by node
    std::map<Stream, std::deque<std::uint32_t>> queues_;
    std::map<std::pair<Lane, Lane>, std::uint32_t> known_;  // how far the first lane has waited for the second
    Plan plan_;
};

}  // namespace

Plan plan_of(const PlanQuestion& question) {
    return Planner(question).plan();
}

}  // namespace sim::chakra
