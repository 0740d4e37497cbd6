// Checkpointing defines how often a program hands over its state, and what that costs in simulated time.
//
// Synchronous: the program stands still until its state is written. Asynchronous: it stands still until the state is
// copied; then the state is written on a separate stream, and the checkpoint is complete when that ends. Writes do not
// overlap: the stream does one after the other.
//
//   cost of a run of n steps = (ceil(n / every) - 1) x stall   none after the last step, which ends the program
// Source of asynchronous checkpoints: Mohan et al., "CheckFreq", FAST 21 (2021).
#pragma once

#include "libsim/gpu.hpp"

#include <concepts>
#include <cstdint>

namespace sim::parallel {

struct Checkpointing {
    std::int64_t every = 0;  // interval in steps; 0: never
    bool asynchronous = false;
    Duration snapshot{0};         // asynchronous: time to copy the state
    Duration write{0};            // time to write it
    Stream stream{most_streams};  // asynchronous: the stream that writes it

    // The time that the program stands still.
    Duration stall() const { return asynchronous ? snapshot : write; }
    // Whether a checkpoint is due after `steps` of `all` steps.
    bool is_due(std::int64_t steps, std::int64_t all) const { return every > 0 && steps < all && steps % every == 0; }
};

// Marks the end of a step: `steps` of `all` are done. If a checkpoint is due, hands over the bytes that state()
// returns.
template <std::invocable State>
void end_step(GPU& gpu, const Checkpointing& how, std::int64_t steps, std::int64_t all, State&& state) {
    if (!how.is_due(steps, all)) {
        gpu.step_done(steps);
    } else if (how.asynchronous) {
        gpu.snapshot(steps, how.snapshot);
        gpu.start_on(how.stream, [&] { gpu.checkpoint(steps, state(), how.write); });
    } else {
        gpu.checkpoint(steps, state(), how.write);
    }
}

}  // namespace sim::parallel
