// A stretch is a job between two interruptions: work, a checkpoint, work, a checkpoint … Its state at any time is a
// formula, so that weeks with thousands of checkpoints cost as little as one.
//
// A checkpoint blocks the work, is then written beside it, and can be restored only when that is done. The next one
// does not begin before. Times count from the beginning of the stretch.
#pragma once

#include "libsim/faults/failure_rates.hpp"

#include <algorithm>
#include <cstdint>

namespace sim::goodput {

using faults::LongDuration;

struct Stretch {
    LongDuration every{0};  // work between two checkpoints
    LongDuration blocks{0};
    LongDuration beside{0};
    std::int64_t last = INT64_MAX;  // the checkpoint that ends the stretch, from 1
    LongDuration last_every{0};     // the work before that one, at most `every`

    // When the work goes on after checkpoint `number`; 0: the beginning.
    LongDuration end_of(std::int64_t number) const;
    // When the last one can be restored.
    LongDuration end() const { return end_of(last) + beside; }
    // The first whose end is not before `at`, whatever is the last.
    std::int64_t first_from(LongDuration at) const;

    struct State {
        std::int64_t taken = 0;   // checkpoints that no longer block
        std::int64_t usable = 0;  // those that can be restored
        LongDuration worked{0};
    };
    State at(LongDuration time) const;
    // The work before so many checkpoints.
    LongDuration work_before(std::int64_t checkpoints) const;

private:
    LongDuration period() const { return std::max(every, beside) + blocks; }
    std::int64_t ended_by(LongDuration time) const;
};

}  // namespace sim::goodput
