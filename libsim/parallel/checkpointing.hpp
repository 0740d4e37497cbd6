// Checkpointing says how often a program hands over its state, and what that costs in simulated time.
//
// Synchronous: the program stands still until its state is written. Asynchronous: until it is copied; then it is
// written on a stream beside the program, and the checkpoint is complete when that is done. Two do not overlap: the
// stream writes one after the other.
//
//   cost of a run of n steps = (ceil(n / every) - 1) x stall   after the last step the program itself is done
// Source of asynchronous checkpoints: Mohan et al., "CheckFreq", FAST 21 (2021).
#pragma once

#include "libsim/gpu.hpp"

#include <concepts>
#include <cstdint>

namespace sim::parallel {

struct Checkpointing {
    std::int64_t every = 0;  // steps; 0: never
    bool asynchronous = false;
    Duration snapshot{0};         // asynchronous: until the state is copied
    Duration write{0};            // until it is written
    Stream stream{most_streams};  // asynchronous: on which

    // How long the program stands still.
    Duration stall() const { return asynchronous ? snapshot : write; }
    // After so many steps, of `all`.
    bool is_due(std::int64_t steps, std::int64_t all) const { return every > 0 && steps < all && steps % every == 0; }
};

// A step has ended: so many of `all` are done. Hands over what `state()` returns, as bytes, where that is due.
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
