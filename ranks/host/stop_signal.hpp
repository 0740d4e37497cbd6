// While this object lives, the stop signals set a flag that the program queries. A second signal, more than a second
// after the first, ends the process as usual. Objects may nest; a signal is visible to all of them.
#pragma once

#include <array>
#include <csignal>

namespace sim::ranks {

// Ctrl-C and Ctrl-\, termination by the system, and a closed terminal.
inline constexpr std::array stop_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
// A program started with nohup should continue without its terminal.
bool stays_ignored(int signal);

class StopSignal {
public:
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    // The signal received, or 0.
    int received() const;
    // Whether there is no other object, so that nobody else will handle the signal.
    bool is_alone() const;

    // An extra action of the signal handler on the first signal; null: none. It must be async-signal-safe.
    struct Reaction {
        void (*react)(void* argument) = nullptr;
        void* argument = nullptr;
    };
    // Returns the previous handler, which the caller must restore.
    static Reaction react_by(const Reaction& reaction);

private:
    std::array<struct sigaction, stop_signals.size()> old_{};
};

}  // namespace sim::ranks
