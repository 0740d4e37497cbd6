// A ForEach function runs the same work for many indices, either sequentially or on threads that the program provides.
//
// The planner starts no threads: it calls the function that it is given.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace sim {

struct EachOptions {
    std::size_t block = 1;                                        // indices that a thread takes at a time
    std::function<void(std::size_t done)> on_progress = nullptr;  // about 20 times a second, in the caller's thread
    std::function<bool()> should_stop = nullptr;                  // polled at the same rate
};

// Calls work(0) … work(count - 1), each once. Indices are handed out in order, and a block once taken is finished. An
// exception from work() ends the loop; of several, the one with the lowest index is rethrown, whichever came first.
// Returns false if it was stopped, in which case some of the last indices were not reached.
using ForEach =
    std::function<bool(std::size_t count, const EachOptions& options, const std::function<void(std::size_t)>& work)>;

// Runs in the caller's thread.
inline bool one_by_one(std::size_t count, const EachOptions& options, const std::function<void(std::size_t)>& work) {
    for (std::size_t i = 0; i < count; ++i) {
        if (i % std::max<std::size_t>(options.block, 1) == 0 && options.should_stop && options.should_stop()) {
            return false;
        }
        work(i);
        if (options.on_progress) {
            options.on_progress(i + 1);
        }
    }
    return true;
}

}  // namespace sim
