// These guards block signals while they have no handler, and restore handlers that are not ours.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

namespace sim::ranks {

// All signals are blocked while this lives, except between unblock() and block().
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigprocmask(SIG_SETMASK, nullptr, &before_);
        block();
    }
    ~SignalsBlocked() { unblock(); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;
    void block() {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, nullptr);
    }
    void unblock() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

// Restores the launcher's own handlers, because Asio leaves the default ones.
class HandlersKept {
public:
    HandlersKept() {
        for (std::size_t i = 0; i < signals.size(); ++i) {
            sigaction(signals[i], nullptr, &before_[i]);
        }
    }
    ~HandlersKept() {
        for (std::size_t i = 0; i < signals.size(); ++i) {
            sigaction(signals[i], &before_[i], nullptr);
        }
    }
    HandlersKept(const HandlersKept&) = delete;
    HandlersKept& operator=(const HandlersKept&) = delete;

private:
    static constexpr std::array signals{SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace sim::ranks
