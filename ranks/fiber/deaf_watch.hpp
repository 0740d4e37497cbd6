// DeafWatch ends the process if a rank blocks the watchdog's signal and does not return.
//
// BreakOut leaves a rank's code from within a signal handler, so a rank that has blocked all signals is never left, and
// no other rank can continue: a single thread runs them all. A second thread checks several times per watchdog period.
// If the same turn has lasted that long and the signal is blocked, it names the rank on standard error and ends the
// process with the exit code of a hung rank. Under a debugger it does nothing.
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
    // Requires: constructed by the thread that runs the ranks; both arguments outlive it.
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
