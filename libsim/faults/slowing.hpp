// Slowings delay or stop work for a while; end_under() gives the end of work under them. The faults themselves are in
// injection.hpp, and which of them slow what is in conditions.hpp.
#pragma once

#include "libsim/faults/injection.hpp"
#include "libsim/units.hpp"

#include <optional>
#include <span>

namespace sim::faults {

// Work takes `pace` times as long during the window; {0, 1}: it stops.
struct Slowing {
    Window window;
    Pace pace{1, 1};

    bool stops() const { return pace.picoseconds == 0; }
};

// The occurrence of the window that covers `at` or comes next.
struct Around {
    Time from;
    Time until;
    bool covers(Time at) const { return from <= at && at < until; }
};
Around around(const Window& window, Time at);

// Work in progress.
struct Progress {
    Time at;
    Duration left{0};
};
// Advances the work to `until` under all of `paces`; returns its end if it ends by then. Rounded so that slowing work
// down never makes it end earlier.
std::optional<Time> end_by(Progress& work, Time until, std::span<const Pace> paces);

// The end of `work` begun at `begin`. Overlapping slowings multiply. Rounded so that slowing work down never makes it
// end earlier. Throws std::overflow_error if it does not end in the range of simulated time.
// Cost: slowings x the window edges that the work crosses.
Time end_under(Time begin, Duration work, std::span<const Slowing> slowings);

}  // namespace sim::faults
