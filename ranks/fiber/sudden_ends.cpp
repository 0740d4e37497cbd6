#include "ranks/fiber/sudden_ends.hpp"

#include "libsim/kernel/parts/describe.hpp"
#include "libsim/plain_text.hpp"
#include "ranks/exit_code.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <utility>

namespace sim::ranks {

namespace {

constexpr std::size_t signal_stack_bytes = 64U << 10U;

// Must not allocate: the library may be in the middle of an allocation.
template <class... Args>
[[noreturn]] void end_process(int code, fmt::format_string<Args...> format, Args&&... args) {
    std::array<char, 512> text{};
    const auto end = fmt::format_to_n(text.data(), text.size() - 1, format, std::forward<Args>(args)...);
    [[maybe_unused]] const ssize_t written =
        write(STDERR_FILENO, text.data(), static_cast<std::size_t>(end.out - text.data()));
    _exit(code);
}

// A handler has no other way to find its object; faults and exits are delivered to the thread that causes them.
thread_local SuddenEnds* innermost = nullptr;

}  // namespace

// If a child process of a rank exits, that ends only the child.
void name_who_exits(const char* how) {
    if (innermost != nullptr && innermost->running_ != nullptr &&
        innermost->run_->pids.front() == static_cast<int>(getpid())) {
        innermost->name_who_exits(how);
    }
}

namespace {

void on_exit_with(int status, void* /*argument*/) {
    std::array<char, 64> how{};
    *fmt::format_to_n(how.data(), how.size() - 1, "exited with status {}", status).out = '\0';
    name_who_exits(how.data());
}

void on_quick_exit() {
    name_who_exits("left by quick_exit");
}

// Registered once: these registrations cannot be undone.
void listen_for_exits() {
    static const bool listening = on_exit(on_exit_with, nullptr) == 0 && std::at_quick_exit(on_quick_exit) == 0;
    static_cast<void>(listening);
}

}  // namespace

SuddenEnds::SuddenEnds(const Run& run, const Stacks& stacks, BreakOut& break_out)
    : run_(&run), stacks_(&stacks), break_out_(&break_out), outer_(innermost), signal_stack_(signal_stack_bytes) {
    listen_for_exits();
    innermost = this;
    const stack_t own{.ss_sp = signal_stack_.data(), .ss_flags = 0, .ss_size = signal_stack_.size()};
    sigaltstack(&own, &old_stack_);
    struct sigaction action {};
    action.sa_sigaction = &SuddenEnds::on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;  // not deferred, because the handler may never return
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &old_action_);
}

SuddenEnds::~SuddenEnds() {
    sigaction(SIGSEGV, &old_action_, nullptr);
    sigaltstack(&old_stack_, nullptr);
    innermost = outer_;
}

// Runs in a signal handler, on the signal stack.
void SuddenEnds::on_fault(int signal, siginfo_t* info, void* context) {
    SuddenEnds* const self = innermost;
    if (self != nullptr && self->running_ != nullptr && info->si_code > 0) {
        if (const int rank = self->stacks_->guarded_by(info->si_addr); rank >= 0) {
            self->on_guard(rank, context);
        }
    }
    // Any other fault gets its default treatment: it recurs at once, unless somebody sent the signal.
    const struct sigaction defaults {};
    sigaction(SIGSEGV, self != nullptr ? &self->old_action_ : &defaults, nullptr);
    if (info->si_code <= 0) {
        std::raise(signal);
    }
}

void SuddenEnds::on_guard(int rank, void* context) {
    break_out_->leave_overflow(context);  // returns if the run cannot go on
    const Op* const last = running_->last_op();
    end_process(exit_code::rank_died,
                "rank {} ran over its stack of {} KiB in a function of the C or C++ library, after "
                "op {}{}{}; LaunchOptions::stack_bytes gives it a larger one\n",
                rank, (stacks_->stack(rank).size() + 1023) / 1024, run_->kernel.ops(rank),
                last == nullptr ? "" : ", its last: ", last == nullptr ? "" : name_of(last->kind));
}

void SuddenEnds::end_for_silence(std::chrono::milliseconds watchdog) const {
    const int rank = running_->rank();
    const Op* const last = running_->last_op();
    end_process(exit_code::rank_hung, "rank {} hangs and blocks signals: no op for {} s, after op {}{}{}\n", rank,
                std::chrono::duration<double>(watchdog).count(), run_->kernel.ops(rank),
                last == nullptr ? "" : ", its last: ", last == nullptr ? "" : name_of(last->kind));
}

void SuddenEnds::name_who_exits(const char* how) {
    const int rank = running_->rank();
    std::string text =
        fmt::format("rank {} {} {}, before its program returned", rank, how, where_rank_is(run_->kernel, rank));
    if (const Op* const last = running_->last_op()) {
        text += "\n  its last op: " + kernel::describe(*last);
    }
    // exit() has destroyed thread-local objects by now, so the process ends here, with its output.
    std::cout.flush();
    std::fputs((plain_text(text) + "\n").c_str(), stderr);
    std::fflush(nullptr);
    _exit(exit_code::rank_died);
}

}  // namespace sim::ranks
