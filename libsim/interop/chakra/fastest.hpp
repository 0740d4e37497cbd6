// Names the algorithms of a trace's collectives, which say none in the traces of others.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/interop/chakra/files.hpp"

namespace sim::chakra {

// The fastest on this cluster for kind, size and group, with no other traffic; where a node says one, that. Cost: a
// search for each that differ. Throws as meetings_of().
void take_fastest(Traces& traces, const Cluster& cluster);

// This one, of all collectives that have it for so many ranks; the others keep their own.
void take_algorithm(Traces& traces, Algorithm algorithm);

}  // namespace sim::chakra
