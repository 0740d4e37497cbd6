#include "ranks/host/stop_signal.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <utility>

namespace sim::ranks {

namespace {

// The globals of the library: a signal handler has nothing else to write to, and handlers are the process's.
volatile std::sig_atomic_t stop_signal_received = 0;
int stop_signals_alive = 0;
std::atomic<std::int64_t> first_stop_signal{0};  // ms
StopSignal::Reaction reaction;                   // changed while both signals are blocked
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler may not wait for a lock");

// timeout(1) and terminals' job control send one signal to a process and once more to its group.
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

StopSignal::StopSignal() {
    if (stop_signals_alive++ == 0) {
        stop_signal_received = 0;
    }
    struct sigaction action {};
    action.sa_handler = on_stop_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &old_int_);
    sigaction(SIGTERM, &action, &old_term_);
}

StopSignal::~StopSignal() {
    --stop_signals_alive;
    sigaction(SIGINT, &old_int_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
}

int StopSignal::received() const {
    return stop_signal_received;
}

StopSignal::Reaction StopSignal::react_by(const Reaction& next) {
    sigset_t stops;
    sigset_t before;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &stops, &before);
    const Reaction old = std::exchange(reaction, next);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return old;
}

}  // namespace sim::ranks
