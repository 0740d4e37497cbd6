// A time axis has round ticks: 1, 2 or 5 times a power of ten, in the largest unit that the whole time reaches.
#pragma once

#include "libsim/units.hpp"

#include <string>
#include <vector>

namespace sim::report {

struct Tick {
    Time at;
    std::string text;  // "0.5 ms"
};

// From `begin` to before `end`, so far apart that there are at most `most`, in the unit that `end` reaches. None where
// there is no time between them.
std::vector<Tick> time_ticks(Time end, int most, Time begin = {});

// The first round time from `time` on.
Time round_time(Time time);

}  // namespace sim::report
