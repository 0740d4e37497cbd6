// The issue order is the order in which a rank's program issues the operations of its schedule.
#pragma once

#include "libsim/interop/goal/schedule.hpp"

#include <span>
#include <vector>

namespace sim::goal {

// An operation that another waits for, and whether only for its start.
struct Required {
    OpIndex op = 0;
    bool start_only = false;
};

// The operations of one rank.
class IssueOrder {
public:
    // Throws NoProgram (to_program.hpp) if operations wait for each other.
    IssueOrder(const GoalSchedule& schedule, OpRange range);

    // Each operation follows those that it waits for; those of CPUs other than 0 come as early as possible; otherwise
    // in the order of the text.
    const std::vector<OpIndex>& order() const { return order_; }
    std::span<const Required> required_by(OpIndex op) const {
        const std::size_t at = op - range_.begin;
        return {required_.data() + first_required_[at], first_required_[at + 1] - first_required_[at]};
    }

private:
    void find_required(const GoalSchedule& schedule);
    void sort(const GoalSchedule& schedule);

    OpRange range_;
    std::vector<std::size_t> first_required_;  // by operation, plus the end
    std::vector<Required> required_;
    std::vector<OpIndex> order_;
};

}  // namespace sim::goal
