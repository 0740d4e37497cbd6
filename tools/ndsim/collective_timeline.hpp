// The timeline of a collective shows each of its messages, of all ranks.
#pragma once

#include "libsim/planning/collective_sweep.hpp"
#include "libsim/report/timeline.hpp"

namespace sim::tools {

// Carries out `timed` once more, message by message on fibers. Of one that breaks off it has the fault.
report::Timeline message_timeline(const planning::Sweep& sweep, const planning::TimedMethod& timed);

}  // namespace sim::tools
