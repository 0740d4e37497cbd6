// A multi-dimensional topology places GPUs on a grid and connects the lines of each dimension in a way of its own.
//
//      x: ring of 4       y: switch of 2          GPU (x, y) is rank x + 4 y:
//      0 - 1 - 2 - 3 - (0)                        the first dimension is the innermost, as in ASTRA-sim
//      |   |   |   |        <- a switch for each
//      4 - 5 - 6 - 7 - (4)     of the 4 columns
//
// A line of n GPUs     cables        hops of a route                  links that cross its middle, one way
//   ring               n  (n > 2)    shortest way round, tie: up      2   (n = 2: 1)
//   line               n - 1         the difference                   1
//   fully_connected    n (n - 1) / 2 1                                floor(n/2) ceil(n/2)
//   switched           n             2, each with the latency         floor(n/2)
//
// A ring of two has one cable, not two. "Up" is towards the greater coordinate. Routes are dimension-ordered: first
// along the first dimension until that coordinate is right, then along the second, … Hops and latencies add up; the
// bandwidth is the least of all. Bisection bandwidth: the least over the dimensions of  (GPUs / n) x links that cross x
// their bandwidth. Levels: the strides of the dimensions. Cost: O(links) to build; a route costs its length and no
// memory. Source: Dally & Towles, Principles and Practices of Interconnection Networks (2004), chapters 5 and 8;
// dimensions as building blocks: Won et al., ASTRA-sim2.0, ISPASS (2023).
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/topology_row.hpp"

namespace sim::network {

enum class DimensionKind : std::uint8_t { ring, line, fully_connected, switched };

struct Dimension {
    DimensionKind kind = DimensionKind::ring;
    int size = 1;
    Bandwidth bandwidth;
    Duration latency{0};
};

// Throws ProgramError where there is no dimension, or one has no GPU or no bandwidth.
Topology multi_dimensional(const std::vector<Dimension>& dimensions);

// Only from a file: [[topology.dimension]] kind = "ring", "line", "fully-connected" or "switch", size,
// bytes_per_second, latency_seconds.
TopologyRow multi_dimensional_row();

}  // namespace sim::network
