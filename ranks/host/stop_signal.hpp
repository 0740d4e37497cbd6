// While this object lives, SIGINT and SIGTERM set a flag that the program queries. A second signal, more than a second
// after the first, ends the process as usual. Objects may nest; a signal is visible to all of them.
#pragma once

#include <csignal>

namespace sim::ranks {

class StopSignal {
public:
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    // The signal that came, or 0.
    int received() const;

    // An extra action of the signal handler on the first signal; null: none. It must be async-signal-safe.
    struct Reaction {
        void (*react)(void* argument) = nullptr;
        void* argument = nullptr;
    };
    // Returns the previous handler, which the caller must restore.
    static Reaction react_by(const Reaction& reaction);

private:
    struct sigaction old_int_ {};
    struct sigaction old_term_ {};
};

}  // namespace sim::ranks
