// These functions execute a timed collective message by message, to check its time and results and to draw it.
#pragma once

#include "libsim/report/timeline.hpp"
#include "libsim/search/collective_sweep.hpp"

#include <string>

namespace sim::tools {

// Executes `timed` message by message on fibers, once with sizes only and once with floats, and records how many floats
// are wrong. Returns an error text if a run takes another time than `timed` or fails, else an empty text.
std::string check_with_data(const search::Sweep& sweep, search::TimedMethod& timed);

// Executes `timed` once more and returns the messages of all ranks, and the fault if the run fails.
report::Timeline message_timeline(const search::Sweep& sweep, const search::TimedMethod& timed);

}  // namespace sim::tools
