// from_program makes the traces of a rank program, from the ops that its ranks posted.
//
// Each op is a node on the op's stream, with the program's order as its id; a wait, and what others wait for on a
// stream, are computations of no time, which others pass over. So run() posts the same ops again, and every span of the
// run comes back, with its label. For other simulators the same order is said as dependencies: on the node before on
// its stream, on the program's last node where it was handed over, and on what was waited for.
//
// Memory and log lines are computations of no time, too. Left out are questions.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/interop/chakra/trace.hpp"
#include "libsim/replay/recording.hpp"

#include <vector>

namespace sim::chakra {

// By rank. `cluster` is the one that the program ran on: it says how long a computation takes, for the trace has times.
// Throws ProgramError for what it has no price for, and for groups that stand for larger ones.
std::vector<RankTrace> traces_of(const replay::Recording& program, const Cluster& cluster);

}  // namespace sim::chakra
