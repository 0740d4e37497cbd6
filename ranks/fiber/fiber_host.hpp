// The fiber host: every rank is a small stack in this process, and one thread runs them in turn.
//
// Cost per rank: the stack pages it touches (4 to 8 KiB) and about 1.5 KiB more. Per op: under 0.1 us.
// A rank that computes for ever without an op cannot be interrupted here; the process host can.
#pragma once

#include "ranks/launch.hpp"

namespace sim::ranks {

Result run_as_fibers(const LaunchOptions& options, const Program& program);

}  // namespace sim::ranks
