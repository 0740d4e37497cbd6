#include "ranks/host/stop_signal.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <utility>

namespace sim::ranks {

namespace {

// The library's only globals: a signal handler can write to nothing else, and handlers belong to the process.
volatile std::sig_atomic_t stop_signal_received = 0;
int stop_signals_alive = 0;
std::atomic<std::int64_t> first_stop_signal{0};  // ms
StopSignal::Reaction reaction;                   // only changed while the signals are blocked
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler may not wait for a lock");

// timeout(1) and terminal job control send a signal to a process and again to its group.
constexpr std::int64_t one_and_the_same = 1000;  // ms

std::int64_t milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

extern "C" void on_stop_signal(int signal) {
    if (stop_signal_received == 0) {
        stop_signal_received = signal;
        first_stop_signal = milliseconds();
        if (reaction.react != nullptr) {
            reaction.react(reaction.argument);
        }
    } else if (milliseconds() - first_stop_signal > one_and_the_same) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
}

}  // namespace

bool stays_ignored(int signal) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    return (signal == SIGHUP || signal == SIGQUIT) && now.sa_handler == SIG_IGN;
}

StopSignal::StopSignal() {
    if (stop_signals_alive++ == 0) {
        stop_signal_received = 0;
    }
    struct sigaction action {};
    action.sa_handler = on_stop_signal;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < stop_signals.size(); ++i) {
        sigaction(stop_signals[i], stays_ignored(stop_signals[i]) ? nullptr : &action, &old_[i]);
    }
}

StopSignal::~StopSignal() {
    --stop_signals_alive;
    for (std::size_t i = 0; i < stop_signals.size(); ++i) {
        sigaction(stop_signals[i], &old_[i], nullptr);
    }
}

int StopSignal::received() const {
    return stop_signal_received;
}

bool StopSignal::is_alone() const {
    return stop_signals_alive == 1;
}

StopSignal::Reaction StopSignal::react_by(const Reaction& next) {
    sigset_t stops;
    sigset_t before;
    sigemptyset(&stops);
    for (const int signal : stop_signals) {
        sigaddset(&stops, signal);
    }
    pthread_sigmask(SIG_BLOCK, &stops, &before);
    const Reaction old = std::exchange(reaction, next);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return old;
}

}  // namespace sim::ranks
