// BreakOut leaves a rank's own code if that does not return in the watchdog's time, or after a stop signal.
//
// A fiber yields only in an op, so one that executes none, as in an endless loop, also blocks the host. A timer checks
// several times per watchdog period, and every 10 ms from the first stop signal on. A rank that has been in one piece
// of its own code for the watchdog period, or for half a second since the signal, is left for good, from within the
// timer's signal handler: its stack is not unwound, so everything that it holds (memory, locks, open files) stays held.
//
// A rank is not left in the middle of the C or C++ library, whose locks and free lists it may hold, nor in the middle
// of a Port, unless it is still there after two seconds: then it is more likely to sleep or to wait than to allocate.
// Time during which the process was stopped or in a debugger does not count.
#pragma once

#include "ranks/fiber/fiber.hpp"
#include "ranks/host/stop_signal.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <vector>

namespace sim::ranks {

class BreakOut {
public:
    // Uses the last real-time signal during its lifetime. Requires: the same thread throughout.
    explicit BreakOut(std::chrono::milliseconds watchdog);
    ~BreakOut();
    BreakOut(const BreakOut&) = delete;
    BreakOut& operator=(const BreakOut&) = delete;

    // The reason why a fiber was left in the middle of its code, if it was.
    enum class Left { not_at_all, for_silence, for_overflow };
    // Resumes the fiber. If it was left, it must be abandoned.
    Left resume(Fiber& fiber);
    // To be called in a signal handler that has its own stack and this context: the running fiber's stack is exhausted,
    // so the fiber is left. Returns if that is impossible, inside a library or the host's code.
    void leave_overflow(const void* context);

    // The signal of its timer.
    static int signal() { return SIGRTMAX; }
    // Other threads may ask for the number of the current or last turn, and whether a rank is in its own code.
    std::uint64_t turn() const { return turn_.load(std::memory_order_acquire); }
    bool is_in_rank() const {
        return is_in_turn_.load(std::memory_order_acquire) && !in_host_code_.load(std::memory_order_relaxed);
    }
    // This many looks, one interval apart, make up the watchdog's patience; 0: a debugger is attached, so no rank is
    // left.
    int looks_before_leaving() const { return patience_; }
    std::chrono::milliseconds between_looks() const { return between_looks_; }

    // During its lifetime the rank is in the host's code, which returns by itself.
    class HostCode {
    public:
        explicit HostCode(BreakOut& of) : of_(&of) { of.in_host_code_.store(true, std::memory_order_relaxed); }
        ~HostCode() { of_->in_host_code_.store(false, std::memory_order_relaxed); }
        HostCode(const HostCode&) = delete;
        HostCode& operator=(const HostCode&) = delete;

    private:
        BreakOut* of_;
    };

private:
    struct Range {
        std::uintptr_t begin;
        std::uintptr_t end;
    };

    static void on_stop(void* self);
    void look_every(std::chrono::nanoseconds time);
    static void on_timer(int signal, siginfo_t* info, void* context);
    void look(std::uintptr_t at);
    bool is_in_libraries(std::uintptr_t at) const;
    void leave(Left why);

    std::vector<Range> libraries_;  // address ranges of their code
    timer_t timer_{};
    struct sigaction old_action_ {};
    StopSignal::Reaction old_reaction_;
    // Read and written by the signal handler, in the same thread.
    Fiber* volatile running_ = nullptr;
    volatile std::sig_atomic_t looks_ = 0;  // looks at the same piece of a rank's code
    volatile std::sig_atomic_t looks_before_leaving_ = 0;
    volatile std::sig_atomic_t looks_before_leaving_anywhere_ = 0;
    volatile Left left_ = Left::not_at_all;
    // Read by another thread, too.
    std::atomic<std::uint64_t> turn_ = 0;
    std::atomic<bool> is_in_turn_ = false;
    std::atomic<bool> in_host_code_ = false;
    int patience_ = 0;
    std::chrono::milliseconds between_looks_{0};
};

}  // namespace sim::ranks
