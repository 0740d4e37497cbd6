// from_program makes the traces of a rank program from the ops that its ranks posted.
//
// Each op is a node on the op's stream, with its position in the program as its id. A wait, and a mark on a stream that
// others wait for, are computations of zero time, which other simulators skip. run() therefore posts the same ops again
// and reproduces every span of the run, with its label. For other simulators the same order is expressed as
// dependencies: on the previous node of the stream, on the program's last node when the op was issued, and on the ops
// waited for.
//
// Memory ops and log lines are also computations of zero time. Queries are left out.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/interop/chakra/trace.hpp"
#include "libsim/replay/recording.hpp"

#include <vector>

namespace sim::chakra {

// Traces by rank. `cluster` is the one that the program ran on: it determines the times of computations. Throws
// ProgramError for ops that it cannot price, and for groups that represent larger ones.
std::vector<RankTrace> traces_of(const replay::Recording& program, const Cluster& cluster);

}  // namespace sim::chakra
