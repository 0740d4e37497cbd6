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
#include <fstream>
#include <string>
#include <system_error>

namespace sim::ranks {

namespace {

using namespace std::chrono_literals;

// Applies after a stop signal.
constexpr std::chrono::milliseconds stop_look = 10ms;
constexpr std::chrono::milliseconds patience_after_stop = 500ms;
// The total patience with a rank that is inside a library.
constexpr std::chrono::milliseconds patience_with_libraries = 2s;

int looks_in(std::chrono::milliseconds time, std::chrono::milliseconds each) {
    return static_cast<int>((time + each - 1ms) / each);
}

// A program in a debugger must not be interrupted.
bool is_traced() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("TracerPid:")) {
            return std::atoi(line.c_str() + line.find(':') + 1) != 0;
        }
    }
    return false;
}

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

BreakOut::BreakOut(std::chrono::milliseconds watchdog) {
    // Address ranges of loaded objects. Those that contain one of these marks are the libraries: C, C++, unwinding,
    // loader.
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
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;  // not deferred, because the handler may never return
    sigemptyset(&action.sa_mask);
    sigaction(signal(), &action, &old_action_);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = signal();
    event.sigev_value.sival_ptr = this;
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) {
        const int error = errno;
        sigaction(signal(), &old_action_, nullptr);
        throw std::system_error(error, std::generic_category(), "a timer");
    }
    // One more, because the first look may come at once.
    const std::chrono::milliseconds each = std::clamp(watchdog / 4, 10ms, 500ms);
    looks_before_leaving_ = looks_in(std::min(watchdog, std::chrono::milliseconds(24h)), each) + 1;
    looks_before_leaving_anywhere_ = looks_before_leaving_ + looks_in(patience_with_libraries, each);
    old_reaction_ = StopSignal::react_by({&BreakOut::on_stop, this});
    if (!is_traced()) {
        patience_ = looks_before_leaving_;
        between_looks_ = each;
        look_every(each);
    }
}

BreakOut::~BreakOut() {
    StopSignal::react_by(old_reaction_);
    timer_delete(timer_);
    sigaction(signal(), &old_action_, nullptr);
}

BreakOut::Left BreakOut::resume(Fiber& fiber) {
    left_ = Left::not_at_all;
    looks_ = 0;
    running_ = &fiber;
    turn_.store(turn_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    is_in_turn_.store(true, std::memory_order_release);
    fiber.resume();
    is_in_turn_.store(false, std::memory_order_relaxed);
    running_ = nullptr;
    in_host_code_.store(false, std::memory_order_relaxed);
    return left_;
}

// Runs in a signal handler.
void BreakOut::on_stop(void* self) {
    auto& that = *static_cast<BreakOut*>(self);
    that.looks_ = 0;
    that.looks_before_leaving_ = looks_in(patience_after_stop, stop_look);
    that.looks_before_leaving_anywhere_ = looks_in(patience_with_libraries, stop_look);
    that.look_every(stop_look);
}

void BreakOut::look_every(std::chrono::nanoseconds time) {
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time);
    const timespec each{.tv_sec = whole.count(), .tv_nsec = (time - whole).count()};
    const itimerspec often{.it_interval = each, .it_value = each};
    timer_settime(timer_, 0, &often, nullptr);
}

void BreakOut::on_timer(int, siginfo_t* info, void* context) {
    const int error = errno;
    static_cast<BreakOut*>(info->si_value.sival_ptr)->look(program_counter(context));
    errno = error;
}

void BreakOut::look(std::uintptr_t at) {
    if (running_ == nullptr || in_host_code_.load(std::memory_order_relaxed)) {
        return;
    }
    looks_ = looks_ + 1;
    // A library may hold a lock or half-changed data, so a rank inside one gets more time to come out.
    if (looks_ < looks_before_leaving_ || (is_in_libraries(at) && looks_ < looks_before_leaving_anywhere_)) {
        return;
    }
    leave(Left::for_silence);
}

void BreakOut::leave(Left why) {
    left_ = why;
    // Cleared first, so that a signal from now on finds nobody to take out.
    Fiber* const fiber = running_;
    running_ = nullptr;
    fiber->suspend();  // never returns
}

void BreakOut::leave_overflow(const void* context) {
    if (running_ != nullptr && !in_host_code_.load(std::memory_order_relaxed) &&
        !is_in_libraries(program_counter(context))) {
        leave(Left::for_overflow);
    }
}

bool BreakOut::is_in_libraries(std::uintptr_t at) const {
    return std::any_of(libraries_.begin(), libraries_.end(),
                       [&](const Range& range) { return range.begin <= at && at < range.end; });
}

}  // namespace sim::ranks
