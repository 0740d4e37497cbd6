// Dependencies track which operations of a run still wait for others, and which have just become free to begin.
#pragma once

#include "libsim/interop/goal/schedule.hpp"

#include <unordered_map>
#include <vector>

namespace sim::goal {

class Dependencies {
public:
    explicit Dependencies(const GoalSchedule& schedule);

    bool waits(OpIndex op) const { return needs_[op] > 0; }

    void started(const GoalOp& op) {
        for (const Dependent dependent : schedule_.dependents_of(op)) {
            if (!dependent.on_start()) {
                return;
            }
            release(dependent.op());
        }
    }
    void done(const GoalOp& op) {
        for (const Dependent dependent : schedule_.dependents_of(op)) {
            if (!dependent.on_start()) {
                release(dependent.op());
            }
        }
    }
    // Frees `op` as if the last operation that it waited for had just ended. Requires: !waits(op).
    void free(OpIndex op) { free_.push_back(op); }

    // Takes the operations that have become free since the last call: by rank, then sends, receives, calcs, then in the
    // order they became free.
    template <class Visit>
    void take_free(const Visit& visit) {
        if (free_.size() > 1) {
            sort_free();
        }
        for (const OpIndex op : free_) {
            visit(op);
        }
        free_.clear();
    }

    // Many ranks advance concurrently: too many streams for the hardware prefetcher.
    void fetch_ahead(OpIndex index, const GoalOp& op) const {
        const std::size_t ahead = index + 4U < needs_.size() ? index + 4U : index;
        __builtin_prefetch(&schedule_.ops[ahead]);
        __builtin_prefetch(&needs_[ahead]);
        __builtin_prefetch(schedule_.dependents.data() + op.first_dependent);
    }

private:
    static constexpr std::uint8_t many = UINT8_MAX;

    void release(OpIndex op) {
        if (needs_[op] == many) {
            if (--many_needs_[op] > 0) {
                return;
            }
            needs_[op] = 0;
        } else if (--needs_[op] > 0) {
            return;
        }
        free_.push_back(op);
    }
    void sort_free();

    const GoalSchedule& schedule_;
    // The number of operations that each one still waits for. One byte each, because those of all ranks are in use at
    // the same time.
    std::vector<std::uint8_t> needs_;
    std::unordered_map<OpIndex, std::uint32_t> many_needs_;  // used if the byte is `many`
    std::vector<OpIndex> free_;
};

}  // namespace sim::goal
