// The traces of a rank program, from the ops that its ranks posted.
//
// Each op is a node on the op's stream, with the program's order as its id; a wait, and what others wait for on a
// stream, are computations of no time, which others pass over. So
// run() posts the same ops again, and every span of the run comes back, with its label. For other simulators the same
// order is said as dependencies: on the node before on its stream, on the program's last node where it was handed over,
// and on what was waited for.
//
// Left out is what costs no time: memory, log lines, questions for the time.
#pragma once

#include "libsim/chakra/trace.hpp"
#include "libsim/cluster.hpp"
#include "libsim/names.hpp"

#include <vector>

namespace sim::chakra {

struct ProgramOps {
    const std::vector<std::vector<Op>>& ranks;  // by rank, in the order of the program; peers are ranks
    const Names& names;
    const std::vector<Group>& groups;  // by GroupId
};

// `cluster` says how long a computation takes: the trace has times. Throws ProgramError for what it has no price for,
// and for groups that stand for larger ones.
std::vector<RankTrace> traces_of(const ProgramOps& ops, const Cluster& cluster);

}  // namespace sim::chakra
