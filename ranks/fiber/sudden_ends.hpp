// SuddenEnds confines events that would end the process of all fibers to one rank: a stack overflow, or a call of exit.
//
// An overflowing stack reaches a guard page, whose access is a SIGSEGV. Its handler has its own stack, and leaves the
// rank where it is, as BreakOut does. If the C or C++ library was at work, whose state may be half changed, or if a
// rank called exit or quick_exit, which may have destroyed objects that the run needs, no rank can go on: then the rank
// is named on standard error, and the process ends with the exit code of a rank that died.
//
// _exit, abort and any other fault of a rank end the process as usual.
#pragma once

#include "ranks/fiber/break_out.hpp"
#include "ranks/fiber/fiber_port.hpp"
#include "ranks/fiber/stacks.hpp"
#include "ranks/host/run.hpp"

#include <chrono>
#include <csignal>
#include <vector>

namespace sim::ranks {

class SuddenEnds {
public:
    // Takes over SIGSEGV and the thread's signal stack during its lifetime; instances may nest. Requires: all three
    // arguments outlive it; the same thread throughout.
    SuddenEnds(const Run& run, const Stacks& stacks, BreakOut& break_out);
    ~SuddenEnds();
    SuddenEnds(const SuddenEnds&) = delete;
    SuddenEnds& operator=(const SuddenEnds&) = delete;

    // During its lifetime, the rank runs.
    class Running {
    public:
        Running(SuddenEnds& of, const FiberPort& port) : of_(&of) { of.running_ = &port; }
        ~Running() { of_->running_ = nullptr; }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;

    private:
        SuddenEnds* of_;
    };

    // Names the running rank as hung, and ends the process with that exit code: for another thread, if the rank can
    // neither continue nor be left.
    [[noreturn]] void end_for_silence(std::chrono::milliseconds watchdog) const;

private:
    static void on_fault(int signal, siginfo_t* info, void* context);
    void on_guard(int rank, void* context);
    [[noreturn]] void name_who_exits(const char* how);
    friend void name_who_exits(const char* how);

    const Run* run_;
    const Stacks* stacks_;
    BreakOut* break_out_;
    const FiberPort* volatile running_ = nullptr;
    SuddenEnds* outer_;
    std::vector<std::byte> signal_stack_;
    stack_t old_stack_{};
    struct sigaction old_action_ {};
};

}  // namespace sim::ranks
