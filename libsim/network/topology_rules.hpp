// What every topology must be: checked by the tests of all builders, and for custom ones.
#pragma once

#include "libsim/network/topology.hpp"

namespace sim {

// Every vertex has a name of its own; the GPUs come first, and only they are GPUs; every link joins two different
// vertices and has a bandwidth; levels divide each other and all GPUs.
// Throws ProgramError with the first vertex or link that does not. Cost: O(vertices + links).
void validate_parts(const Topology& topology);

// That, and every route leads from its source to its target, link by link, and takes no link twice.
// Cost: O(GPUs^2 x length): for tests and small topologies.
void validate(const Topology& topology);

}  // namespace sim
