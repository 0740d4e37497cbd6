// A second implementation of running a GOAL schedule, as simple as possible: a sorted set of events, lists that are
// searched from the front. The faster libsim/interop/goal/run.hpp must give the same results.
#pragma once

#include "libsim/interop/goal/run.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace sim::test {

class PlainGoal {
public:
    PlainGoal(const goal::GoalSchedule& schedule, const LogGP& costs, goal::Charge charge)
        : s_(schedule), costs_(costs), charge_(charge) {}

    goal::GoalOutcome outcome() {
        std::vector<int> needs(s_.ops.size());
        for (const goal::Dependent dependent : s_.dependents) {
            ++needs[dependent.op()];
        }
        needs_ = needs;
        for (const goal::OpRange range : s_.ranks) {
            for (goal::OpIndex op = range.begin; op < range.end; ++op) {
                if (needs_[op] == 0) {
                    free_.push_back(op);
                }
            }
            push_free();
        }
        while (!events_.empty()) {
            const auto [at, number, op, is_message] = *events_.begin();
            const std::int64_t ready = ready_at(op, is_message);
            if (ready > at) {
                events_.erase(events_.begin());
                events_.emplace(ready, number, op, is_message);
                continue;
            }
            events_.erase(events_.begin());
            execute(at, number, op, is_message);
            push_free();
        }
        return result();
    }

private:
    using Clock = std::tuple<std::uint32_t, char, int>;  // rank, 'c'PU or 's'ending or 'r'eceiving side, number

    const goal::GoalOp& payer(goal::OpIndex send) {
        return charge_ == goal::Charge::match ? s_.ops[partner_.at(send)] : s_.ops[send];
    }

    std::int64_t ready_at(goal::OpIndex index, bool is_message) {
        const goal::GoalOp& op = s_.ops[index];
        if (is_message) {
            if (charge_ == goal::Charge::match && !partner_.contains(index)) {
                const auto receive = find(receives_, [&](goal::OpIndex r) { return fits(r, index); });
                if (receive == none) {
                    return 0;
                }
                partner_[index] = receive;
            }
            const goal::GoalOp& p = payer(index);
            return std::max(clocks_[{op.peer, 'c', p.cpu}], clocks_[{op.peer, 'r', p.nic}]);
        }
        switch (op.kind) {
            case goal::GoalOpKind::calc: return clocks_[{op.rank, 'c', op.cpu}];
            case goal::GoalOpKind::send:
                return std::max(clocks_[{op.rank, 'c', op.cpu}], clocks_[{op.rank, 's', op.nic}]);
            case goal::GoalOpKind::receive: return 0;
        }
        return 0;
    }

    void execute(std::int64_t at, std::uint64_t number, goal::OpIndex index, bool is_message) {
        const goal::GoalOp& op = s_.ops[index];
        const std::int64_t w = std::max<std::int64_t>(op.size - 1, 0);
        const std::int64_t g_w = time_for(w, costs_.gap_per_byte).count();
        const std::int64_t o_w = time_for(w, costs_.overhead_per_byte).count();
        if (is_message) {
            if (charge_ == goal::Charge::match && !partner_.contains(index)) {
                return messages_.push_back(index);
            }
            clocks_[{op.peer, 'c', payer(index).cpu}] = at + costs_.overhead.count() + std::max(g_w, o_w);
            clocks_[{op.peer, 'r', payer(index).nic}] = at + costs_.gap.count() + g_w;
            const goal::OpIndex receive = charge_ == goal::Charge::match
                                              ? partner_.at(index)
                                              : find(receives_, [&](goal::OpIndex r) { return fits(r, index); });
            if (receive == none) {
                return messages_.push_back(index);
            }
            end_rendezvous(at, index, op);
            return end(receive);
        }
        begun_.insert(index);
        start(index);
        if (op.kind == goal::GoalOpKind::calc) {
            clocks_[{op.rank, 'c', op.cpu}] = at + op.size;
            end(index);
        } else if (op.kind == goal::GoalOpKind::send) {
            clocks_[{op.rank, 'c', op.cpu}] = at + costs_.overhead.count() + o_w;
            clocks_[{op.rank, 's', op.nic}] = at + costs_.gap.count() + g_w;
            events_.emplace(at + costs_.overhead.count() + costs_.latency.count(), next_++, index, true);
            if (op.size <= costs_.eager_limit.count) {
                end(index);
            }
        } else {
            const goal::OpIndex send = find(messages_, [&](goal::OpIndex m) { return fits(index, m); });
            if (send == none) {
                receives_.push_back(index);
            } else if (charge_ == goal::Charge::match) {
                partner_[send] = index;
                events_.emplace(at, number, send, true);
            } else {
                end_rendezvous(at, send, op);
                end(index);
            }
        }
    }

    void end_rendezvous(std::int64_t at, goal::OpIndex send, const goal::GoalOp& by) {
        const goal::GoalOp& op = s_.ops[send];
        if (op.size > costs_.eager_limit.count) {
            for (const Clock& clock : {Clock{op.rank, 'c', by.cpu}, Clock{op.rank, 's', by.nic}}) {
                clocks_[clock] = std::max(clocks_[clock], at);
            }
            end(send);
        }
    }

    bool fits(goal::OpIndex receive, goal::OpIndex send) const {
        const goal::GoalOp& r = s_.ops[receive];
        const goal::GoalOp& m = s_.ops[send];
        return r.rank == m.peer && (r.peer == goal::any || r.peer == m.rank) &&
               (r.tag == goal::any || m.tag == goal::any || r.tag == m.tag);
    }

    template <class Fits>
    static goal::OpIndex find(std::vector<goal::OpIndex>& list, const Fits& fits) {
        const auto at = std::find_if(list.begin(), list.end(), fits);
        if (at == list.end()) {
            return none;
        }
        const goal::OpIndex found = *at;
        list.erase(at);
        return found;
    }

    void start(goal::OpIndex op) { release(op, true); }
    void end(goal::OpIndex op) {
        ended_.insert(op);
        release(op, false);
    }
    void release(goal::OpIndex op, bool on_start) {
        for (const goal::Dependent dependent : s_.dependents_of(op)) {
            if (dependent.on_start() == on_start && --needs_[dependent.op()] == 0) {
                free_.push_back(dependent.op());
            }
        }
    }

    void push_free() {
        std::stable_sort(free_.begin(), free_.end(), [&](goal::OpIndex a, goal::OpIndex b) {
            return std::pair(s_.ops[a].rank, s_.ops[a].kind) < std::pair(s_.ops[b].rank, s_.ops[b].kind);
        });
        for (const goal::OpIndex index : free_) {
            const goal::GoalOp& op = s_.ops[index];
            std::int64_t at = clocks_[{op.rank, 'c', op.cpu}];
            if (op.kind == goal::GoalOpKind::send) {
                at = std::max(at, clocks_[{op.rank, 's', op.nic}]);
            }
            events_.emplace(at, next_++, index, false);
        }
        free_.clear();
    }

    goal::GoalOutcome result() {
        goal::GoalOutcome outcome;
        for (std::uint32_t rank = 0; rank < s_.ranks.size(); ++rank) {
            std::int64_t last = 0;
            for (int cpu = 0; cpu < s_.cpus; ++cpu) {
                last = std::max(last, clocks_[{rank, 'c', cpu}]);
            }
            outcome.rank_finish.push_back(last);
        }
        outcome.unreceived = messages_;
        std::sort(outcome.unreceived.begin(), outcome.unreceived.end());
        for (goal::OpIndex op = 0; op < s_.ops.size(); ++op) {
            if (!begun_.contains(op)) {
                outcome.blocked.push_back(op);
            } else if (!ended_.contains(op)) {
                outcome.waiting.push_back(op);
            }
        }
        return outcome;
    }

    static constexpr goal::OpIndex none = UINT32_MAX;

    const goal::GoalSchedule& s_;
    const LogGP costs_;
    const goal::Charge charge_;
    std::set<std::tuple<std::int64_t, std::uint64_t, goal::OpIndex, bool>> events_;  // time, number, op, its message
    std::map<Clock, std::int64_t> clocks_;
    std::vector<int> needs_;
    std::vector<goal::OpIndex> free_;
    std::vector<goal::OpIndex> receives_;  // of all ranks, in the order posted
    std::vector<goal::OpIndex> messages_;
    std::map<goal::OpIndex, goal::OpIndex> partner_;
    std::set<goal::OpIndex> begun_;
    std::set<goal::OpIndex> ended_;
    std::uint64_t next_ = 0;
};

}  // namespace sim::test
