// These functions choose algorithms for a trace's collectives; traces from other programs name none.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/interop/chakra/files.hpp"

namespace sim::chakra {

// Sets the fastest algorithm on this cluster for kind, size and group, without other traffic; nodes that name one keep
// it. Cost: one search for each distinct collective. Throws as meetings_of() does.
void take_fastest(Traces& traces, const Cluster& cluster);

// Sets this algorithm on every collective that supports it at its group size; the others keep their own.
void take_algorithm(Traces& traces, Algorithm algorithm);

}  // namespace sim::chakra
