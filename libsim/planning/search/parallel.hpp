// The same work for many numbers, by several threads, while the caller's thread looks after progress and signals.
#pragma once

#include <cstddef>
#include <functional>

namespace sim::scenarios {

struct InParallel {
    int jobs = 1;                                       // threads
    std::size_t block = 1;                              // numbers that a thread takes at a time
    std::function<void(std::size_t done)> on_progress;  // some 20 times a second, in the caller's thread
    std::function<bool()> should_stop;                  // asked as often
};

// Calls work(0) … work(count - 1), each once. Numbers are handed out in order, and a block that was taken is finished:
// what work() throws ends it, and of several the exception of the lowest number is thrown, whoever came first.
// False: it was stopped; some of the last numbers were not reached.
bool for_each_number(std::size_t count, const InParallel& options, const std::function<void(std::size_t)>& work);

}  // namespace sim::scenarios
