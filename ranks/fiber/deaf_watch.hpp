// DeafWatch ends the process for a rank that blocks the watchdog's signal and does not come back.
//
// BreakOut leaves a rank's code from within a signal handler, so a rank that has blocked all signals is never left, and
// nobody can go on: one thread runs all ranks. A second thread looks a few times in the watchdog's patience. Where the
// same turn has lasted that long and the signal is blocked, it names the rank on standard error and ends the process
// with the code of a rank that hung. Under a debugger it does nothing.
#pragma once

#include "ranks/fiber/break_out.hpp"
#include "ranks/fiber/sudden_ends.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace sim::ranks {

class DeafWatch {
public:
    // Requires: the thread that runs the ranks makes it; both outlive it.
    DeafWatch(const BreakOut& break_out, const SuddenEnds& ends, std::chrono::milliseconds watchdog);
    ~DeafWatch();
    DeafWatch(const DeafWatch&) = delete;
    DeafWatch& operator=(const DeafWatch&) = delete;

private:
    void watch(int thread_of_ranks);

    const BreakOut* break_out_;
    const SuddenEnds* ends_;
    std::chrono::milliseconds watchdog_;
    std::mutex mutex_;
    std::condition_variable over_;
    bool is_over_ = false;
    std::thread thread_;
};

}  // namespace sim::ranks
