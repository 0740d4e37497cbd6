#include "ranks/fiber/break_out.hpp"

#include <link.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <system_error>

namespace sim::ranks {

namespace {

constexpr long look_every = 10'000'000;  // ns
constexpr int looks_before_leaving = 50;
constexpr int looks_before_leaving_anywhere = 200;

std::uintptr_t program_counter(const void* context) {
    const mcontext_t& at = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(at.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return static_cast<std::uintptr_t>(at.pc);
#else
    static_cast<void>(at);
    return 0;
#endif
}

template <class Function>
std::uintptr_t address_of(Function* function) {
    return reinterpret_cast<std::uintptr_t>(function);
}

}  // namespace

BreakOut::BreakOut() {
    // Of each object, where it lies; those with one of these in it are the libraries: C, C++, unwinding, the loader.
    const auto add_library = [](dl_phdr_info* object, std::size_t, void* self) {
        const std::array marks{address_of(&std::malloc), address_of(&std::terminate),
                               address_of(&_Unwind_RaiseException), static_cast<std::uintptr_t>(getauxval(AT_BASE))};
        std::uintptr_t end = object->dlpi_addr;
        for (int i = 0; i < object->dlpi_phnum; ++i) {
            const ElfW(Phdr)& part = object->dlpi_phdr[i];
            end = part.p_type == PT_LOAD ? std::max(end, object->dlpi_addr + part.p_vaddr + part.p_memsz) : end;
        }
        const Range range{object->dlpi_addr, end};
        if (std::any_of(marks.begin(), marks.end(),
                        [&](std::uintptr_t mark) { return range.begin <= mark && mark < range.end; })) {
            static_cast<BreakOut*>(self)->libraries_.push_back(range);
        }
        return 0;
    };
    dl_iterate_phdr(add_library, this);

    struct sigaction action {};
    action.sa_sigaction = &BreakOut::on_timer;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;  // not deferred: it may never come back
    sigemptyset(&action.sa_mask);
    sigaction(SIGRTMAX, &action, &old_action_);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGRTMAX;
    event.sigev_value.sival_ptr = this;
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) {
        const int error = errno;
        sigaction(SIGRTMAX, &old_action_, nullptr);
        throw std::system_error(error, std::generic_category(), "a timer");
    }
    old_reaction_ = StopSignal::react_by({&BreakOut::start_looking, this});
}

BreakOut::~BreakOut() {
    StopSignal::react_by(old_reaction_);
    timer_delete(timer_);
    sigaction(SIGRTMAX, &old_action_, nullptr);
}

bool BreakOut::resume(Fiber& fiber) {
    left_ = 0;
    looks_ = 0;
    running_ = &fiber;
    fiber.resume();
    running_ = nullptr;
    in_host_code_ = 0;
    return left_ == 0;
}

void BreakOut::start_looking(void* self) {
    const itimerspec often{.it_interval = {.tv_sec = 0, .tv_nsec = look_every},
                           .it_value = {.tv_sec = 0, .tv_nsec = look_every}};
    timer_settime(static_cast<BreakOut*>(self)->timer_, 0, &often, nullptr);
}

void BreakOut::on_timer(int, siginfo_t* info, void* context) {
    const int error = errno;
    static_cast<BreakOut*>(info->si_value.sival_ptr)->look(program_counter(context));
    errno = error;
}

void BreakOut::look(std::uintptr_t at) {
    if (running_ == nullptr || in_host_code_ != 0) {
        return;
    }
    looks_ = looks_ + 1;
    if (looks_ < looks_before_leaving || (is_in_libraries(at) && looks_ < looks_before_leaving_anywhere)) {
        return;
    }
    left_ = 1;
    Fiber* const fiber = running_;
    running_ = nullptr;
    fiber->suspend();  // and never comes back
}

bool BreakOut::is_in_libraries(std::uintptr_t at) const {
    return std::any_of(libraries_.begin(), libraries_.end(),
                       [&](const Range& range) { return range.begin <= at && at < range.end; });
}

}  // namespace sim::ranks
