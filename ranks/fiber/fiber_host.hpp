// The fiber host runs every rank as a fiber with a small stack in this process; one thread runs them in turn.
//
// Cost (docs/benchmarks.md): 5.6 KB per rank if it touches one page of its stack; under 0.1 us per op.
// A rank that computes forever without an op cannot be interrupted here; the process host can interrupt it.
#pragma once

#include "ranks/launch.hpp"

namespace sim::ranks {

Result run_as_fibers(const LaunchOptions& options, const Program& program);

}  // namespace sim::ranks
