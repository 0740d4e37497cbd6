// A time axis has round ticks: 1, 2 or 5 times a power of ten, in the largest unit that its end reaches.
#pragma once

#include "libsim/units.hpp"

#include <string>
#include <vector>

namespace sim::report {

struct Tick {
    Time at;
    std::string text;  // "0.5 ms"
};

// Ticks from `begin` to before `end`, spaced so that there are at most `most`, in the unit that `end` reaches. None if
// the axis is empty.
std::vector<Tick> time_ticks(Time end, int most, Time begin = {});

// The first round time not before `time`.
Time round_time(Time time);

}  // namespace sim::report
