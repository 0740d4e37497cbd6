// The timeline of a collective shows each of its messages, of all ranks.
#pragma once

#include "libsim/report/timeline.hpp"
#include "libsim/search/collective_sweep.hpp"

namespace sim::tools {

// Carries out `timed` once more, message by message on fibers. Of one that breaks off it has the fault.
report::Timeline message_timeline(const search::Sweep& sweep, const search::TimedMethod& timed);

}  // namespace sim::tools
