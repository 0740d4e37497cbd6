// A standing is the progress of a run at a simulated time: the steps that all its ranks had done, and the last
// checkpoint that all of them had completed (GPU::checkpoint).
//
// It is the same in every run and on every host.
#pragma once

#include "libsim/units.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sim::ranks {

// The state of a whole program, as its ranks handed it over.
struct Checkpoint {
    std::int64_t steps = 0;                      // done when it was taken
    Time taken;                                  // when the last rank's program resumed
    Time complete;                               // when the last rank's state was written
    std::vector<std::vector<std::byte>> states;  // by rank
};

struct Standing {
    Time at;
    std::int64_t steps = 0;                        // done by all ranks by then
    std::shared_ptr<const Checkpoint> checkpoint;  // null: none was complete
    // The time that rank 0's program stood still for checkpoints: in total, and since that one was taken.
    Duration stalled{0};
    Duration stalled_since{0};
};

}  // namespace sim::ranks
