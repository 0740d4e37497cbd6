#include "ranks/host/stop_signal.hpp"

namespace sim::ranks {

namespace {

// The globals of the library: a signal handler has nothing else to write to, and handlers are the process's.
volatile std::sig_atomic_t stop_signal_received = 0;
int stop_signals_alive = 0;

extern "C" void on_stop_signal(int signal) {
    stop_signal_received = signal;
}

}  // namespace

StopSignal::StopSignal() {
    if (stop_signals_alive++ == 0) {
        stop_signal_received = 0;
    }
    struct sigaction action {};
    action.sa_handler = on_stop_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
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

}  // namespace sim::ranks
