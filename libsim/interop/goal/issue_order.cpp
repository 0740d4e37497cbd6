#include "libsim/interop/goal/issue_order.hpp"

#include "libsim/interop/goal/to_program.hpp"

#include <functional>
#include <queue>

namespace sim::goal {

IssueOrder::IssueOrder(const GoalSchedule& schedule, OpRange range) : range_(range) {
    find_required(schedule);
    sort(schedule);
}

void IssueOrder::find_required(const GoalSchedule& schedule) {
    first_required_.assign(range_.end - range_.begin + 1, 0);
    const auto for_each = [&](const auto& visit) {
        for (OpIndex op = range_.begin; op < range_.end; ++op) {
            for (const Dependent dependent : schedule.dependents_of(op)) {
                visit(op, dependent);
            }
        }
    };
    for_each([&](OpIndex, Dependent dependent) { ++first_required_[dependent.op() - range_.begin + 1]; });
    for (std::size_t i = 1; i < first_required_.size(); ++i) {
        first_required_[i] += first_required_[i - 1];
    }
    required_.resize(first_required_.back());
    std::vector<std::size_t> next(first_required_.begin(), first_required_.end() - 1);
    for_each([&](OpIndex op, Dependent dependent) {
        required_[next[dependent.op() - range_.begin]++] = {op, dependent.on_start()};
    });
}

void IssueOrder::sort(const GoalSchedule& schedule) {
    using Earliest = std::priority_queue<OpIndex, std::vector<OpIndex>, std::greater<>>;
    Earliest of_program;
    Earliest of_streams;
    const auto push = [&](OpIndex op) { (schedule.ops[op].cpu == 0 ? of_program : of_streams).push(op); };
    std::vector<std::size_t> needs;
    for (OpIndex op = range_.begin; op < range_.end; ++op) {
        needs.push_back(required_by(op).size());
        if (needs.back() == 0) {
            push(op);
        }
    }
    while (!of_program.empty() || !of_streams.empty()) {
        Earliest& from = of_streams.empty() ? of_program : of_streams;
        const OpIndex op = from.top();
        from.pop();
        order_.push_back(op);
        for (const Dependent dependent : schedule.dependents_of(op)) {
            if (--needs[dependent.op() - range_.begin] == 0) {
                push(dependent.op());
            }
        }
    }
    for (OpIndex op = range_.begin; op < range_.end; ++op) {
        if (needs[op - range_.begin] > 0) {
            throw NoProgram(op, "waits for itself, through others");
        }
    }
}

}  // namespace sim::goal
