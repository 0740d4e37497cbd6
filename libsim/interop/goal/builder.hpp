// The builder makes a schedule, one rank after another.
#pragma once

#include "libsim/interop/goal/schedule.hpp"

namespace sim::goal {

class ScheduleBuilder {
public:
    // Requires: 1 <= ranks <= most_ranks.
    explicit ScheduleBuilder(std::uint32_t ranks);

    // All calls until the next begin() concern `rank`. Requires: each rank once; a rank without operations may be left
    // out.
    void begin(std::uint32_t rank);

    // Sets `rank`; require() adds the dependents. Throws std::length_error for more than most_ops.
    OpIndex add(GoalOp op);

    // `op` waits for the end of `first`. Requires: both are of this rank.
    void require(OpIndex op, OpIndex first) { edges_.push_back({first, {op, false}}); }
    // … for its start.
    void require_start(OpIndex op, OpIndex first) { edges_.push_back({first, {op, true}}); }

    GoalSchedule build() &&;

private:
    struct Edge {
        OpIndex first;
        Dependent then;
    };

    void end_rank();

    GoalSchedule schedule_;
    std::uint32_t rank_ = 0;
    bool began_ = false;
    std::vector<Edge> edges_;          // of this rank, as they came
    std::vector<std::uint32_t> next_;  // where the next dependent of an operation of this rank goes
};

}  // namespace sim::goal
