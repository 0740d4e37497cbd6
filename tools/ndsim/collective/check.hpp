// A timed collective is carried out here message by message, and with numbers: to check what was timed, and to see it.
#pragma once

#include "libsim/report/timeline.hpp"
#include "libsim/search/collective_sweep.hpp"

#include <string>

namespace sim::tools {

// Carries out `timed` message by message on fibers, by size, which must take as long, and with floats, and notes how
// many of these are wrong. Returns an error text where that takes another time or breaks off, else an empty text.
std::string check_with_data(const search::Sweep& sweep, search::TimedMethod& timed);

// The messages of all ranks, which `timed` is carried out for once more. Of one that breaks off it has the fault.
report::Timeline message_timeline(const search::Sweep& sweep, const search::TimedMethod& timed);

}  // namespace sim::tools
