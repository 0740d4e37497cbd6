// The process host: every rank is a forked process, watched by a supervisor that waits in one place.
//
// Cost: about 0.1 ms and 100 KiB of memory touched per rank to start; 0.1 us per op posted, a few us per op answered.
// Whatever becomes of a rank is reported, the others are stopped, and nothing is left behind.
#pragma once

#include "ranks/launch.hpp"

namespace sim::ranks {

Result run_as_processes(const LaunchOptions& options, const Program& program);

}  // namespace sim::ranks
