// The process host runs every rank as a forked process, supervised by a single event loop.
//
// Cost (docs/benchmarks.md): about 0.2 ms per rank to start and reap, 0.01 us per op posted, 1 us per op answered.
// The end of a failed rank is reported, the others are stopped, and no process is left behind.
#pragma once

#include "ranks/launch.hpp"

namespace sim::ranks {

Result run_as_processes(const LaunchOptions& options, const Program& program);

}  // namespace sim::ranks
