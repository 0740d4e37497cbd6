// Work that goes on more slowly for a while, or not at all: when it ends.
#pragma once

#include "libsim/faults/injection.hpp"
#include "libsim/units.hpp"

#include <optional>
#include <span>

namespace sim::faults {

// Work takes `pace` times as long during the window; {0, 1}: none of it is done.
struct Slowing {
    Window window;
    Pace pace{1, 1};

    bool stops() const { return pace.picoseconds == 0; }
};

// The part of the window that covers `at` or comes next: begins and ends are those of this time around.
struct Around {
    Time from;
    Time until;
    bool covers(Time at) const { return from <= at && at < until; }
};
Around around(const Window& window, Time at);

// Work under way.
struct Progress {
    Time at;
    Duration left{0};
};
// Goes on with it until `until`, all of `paces` as slow; returns its end if it comes by then. Rounded so that work
// never gains from being slowed down.
std::optional<Time> end_by(Progress& work, Time until, std::span<const Pace> paces);

// The end of `work` begun at `begin`. Slowings that overlap multiply. Rounded so that work never gains from being
// slowed down. Throws std::overflow_error where it never ends in the range of simulated time.
// Cost: slowings x the edges of windows that the work crosses.
Time end_under(Time begin, Duration work, std::span<const Slowing> slowings);

}  // namespace sim::faults
