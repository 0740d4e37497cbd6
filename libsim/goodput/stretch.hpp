// A stretch is a job between two interruptions: work, a checkpoint, work, a checkpoint … Its state at any time has a
// closed form, so weeks with thousands of checkpoints cost no more than one checkpoint.
//
// A checkpoint blocks the work, is then written in the background, and can be restored only once it is written. The
// next one does not begin earlier. Times count from the beginning of the stretch.
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
    std::int64_t last = INT64_MAX;  // number of the checkpoint that ends the stretch, from 1
    LongDuration last_every{0};     // the work before that one, at most `every`

    // The time at which work resumes after checkpoint `number`; number 0 is the beginning.
    LongDuration end_of(std::int64_t number) const;
    // The time at which the last checkpoint can be restored.
    LongDuration end() const { return end_of(last) + beside; }
    // The number of the first checkpoint that ends at `at` or later, regardless of `last`.
    std::int64_t first_from(LongDuration at) const;

    struct State {
        std::int64_t taken = 0;   // checkpoints that no longer block
        std::int64_t usable = 0;  // checkpoints that can be restored
        LongDuration worked{0};
    };
    State at(LongDuration time) const;
    // The work that precedes this many checkpoints.
    LongDuration work_before(std::int64_t checkpoints) const;

private:
    LongDuration period() const { return std::max(every, beside) + blocks; }
    std::int64_t ended_by(LongDuration time) const;
};

}  // namespace sim::goodput
