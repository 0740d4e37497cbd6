// SIGINT and SIGTERM as a question, while this object lives. A second signal, more than a second after the first, ends
// the process as usual. One may live inside another; what came once is known to both.
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

    // What the signal handler itself does when the first signal comes; null: nothing more. Must be safe there.
    struct Reaction {
        void (*react)(void* argument) = nullptr;
        void* argument = nullptr;
    };
    // Returns what stood before, which whoever calls this puts back.
    static Reaction react_by(const Reaction& reaction);

private:
    struct sigaction old_int_ {};
    struct sigaction old_term_ {};
};

}  // namespace sim::ranks
