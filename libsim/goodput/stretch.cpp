#include "libsim/goodput/stretch.hpp"

#include <algorithm>

namespace sim::goodput {

LongDuration Stretch::end_of(std::int64_t number) const {
    if (number == 0) {
        return LongDuration{0};
    }
    const LongDuration work = number == last ? last_every : every;
    if (number == 1) {
        return work + blocks;
    }
    // The first checkpoint waits for no background write; every other one waits for that of the one before it.
    return every + blocks + (number - 2) * period() + std::max(work, beside) + blocks;
}

std::int64_t Stretch::first_from(LongDuration at) const {
    const LongDuration after_first = at - (every + blocks);
    return after_first <= LongDuration{0} ? 1 : 1 + (after_first + period() - LongDuration{1}) / period();
}

std::int64_t Stretch::ended_by(LongDuration time) const {
    const LongDuration after_first = time - (every + blocks);
    const std::int64_t full = after_first < LongDuration{0} ? 0 : 1 + after_first / period();
    return full < last - 1 ? full : time >= end_of(last) ? last : last - 1;
}

LongDuration Stretch::work_before(std::int64_t checkpoints) const {
    return checkpoints == last ? (last - 1) * every + last_every : checkpoints * every;
}

Stretch::State Stretch::at(LongDuration time) const {
    State state{.taken = ended_by(time)};
    // A checkpoint that is not written yet is lost with its job.
    state.usable = time < beside ? 0 : ended_by(time - beside);
    state.worked = work_before(state.taken);
    if (state.taken < last) {
        const LongDuration next = state.taken + 1 == last ? last_every : every;
        state.worked += std::min(time - end_of(state.taken), next);
    }
    return state;
}

}  // namespace sim::goodput
