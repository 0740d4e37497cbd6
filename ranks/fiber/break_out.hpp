// BreakOut leaves a rank's own code if that does not return: after a stop signal, or for as long as the watchdog waits.
//
// A fiber yields only in an op, so one that executes none, as in a loop for ever, blocks the host, too. A timer looks a
// few times in the watchdog's patience, and every 10 ms from the first stop signal on. A rank that has been in one
// piece of its own code for that long, or for half a second since the signal, is left for good, from within the timer's
// signal handler: its stack is not unwound, so that what it holds (memory, locks, open files) stays held.
//
// It is not left in the middle of the C or C++ library, whose locks and free lists it may hold, nor in the middle of a
// Port, unless it is still there after two seconds: then it is more likely to sleep or to wait than to allocate.
// Neither the time in which the process was stopped counts, nor that in a debugger.
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
    // Takes the last real-time signal while it lives. Requires: the same thread throughout.
    explicit BreakOut(std::chrono::milliseconds watchdog);
    ~BreakOut();
    BreakOut(const BreakOut&) = delete;
    BreakOut& operator=(const BreakOut&) = delete;

    // Why a fiber was left in the middle of its code, if it was.
    enum class Left { not_at_all, for_silence, for_overflow };
    // Resumes the fiber, which must be abandoned if it was left.
    Left resume(Fiber& fiber);
    // In a signal handler on a stack of its own, whose context this is: the running fiber has no stack any more, and is
    // left. Returns where that cannot be, in the library or the host's code.
    void leave_overflow(const void* context);

    // The signal of its timer.
    static int signal() { return SIGRTMAX; }
    // What another thread may ask. The number of the turn that runs or ran last; whether a rank is in its own code.
    std::uint64_t turn() const { return turn_.load(std::memory_order_acquire); }
    bool is_in_rank() const {
        return is_in_turn_.load(std::memory_order_acquire) && !in_host_code_.load(std::memory_order_relaxed);
    }
    // As many looks, so far apart, make the watchdog's patience; 0: a debugger is there, and nobody is left.
    int looks_before_leaving() const { return patience_; }
    std::chrono::milliseconds between_looks() const { return between_looks_; }

    // While this lives, the rank is in the host's code, which comes back by itself.
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

    std::vector<Range> libraries_;  // where their code lies
    timer_t timer_{};
    struct sigaction old_action_ {};
    StopSignal::Reaction old_reaction_;
    // Read and written by the signal handler, in the same thread.
    Fiber* volatile running_ = nullptr;
    volatile std::sig_atomic_t looks_ = 0;  // at the same piece of a rank's code
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
