// The builder makes a schedule, one rank at a time.
#pragma once

#include "libsim/interop/goal/schedule.hpp"

namespace sim::goal {

class ScheduleBuilder {
public:
    // Requires: 1 <= ranks <= most_ranks.
    explicit ScheduleBuilder(std::uint32_t ranks);

    // All calls until the next begin() concern `rank`. Requires: each rank at most once; a rank without operations may
    // be left out.
    void begin(std::uint32_t rank);

    // Sets `rank`; require() adds the dependents. Throws std::length_error for more than most_ops.
    OpIndex add(GoalOp op);

    // `op` waits for the end of `first`. Requires: both are of this rank.
    void require(OpIndex op, OpIndex first) { edges_.push_back({first, {op, false}}); }
    // Like require(), but `op` waits for the start of `first`.
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
    std::vector<Edge> edges_;          // edges of this rank, in insertion order
    std::vector<std::uint32_t> next_;  // next free slot for a dependent, by operation of this rank
};

}  // namespace sim::goal
