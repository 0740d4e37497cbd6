// A torus places GPUs on a grid of 1, 2, 3 or more dimensions, each of whose lines is closed to a ring.
//
//      0 --- 1 --- 2 -- (0)      x by y by z GPUs; GPU (x, y, z) is rank x + X (y + Y z)
//      |     |     |             n cables for each dimension longer than 2, half as many for one of 2
//      3 --- 4 --- 5 -- (3)
//      |     |     |
//     (0)   (1)   (2)
//
// Route: first along x to the right x, the shorter way round, then along y, then z (dimension order; where both ways
// are equal, upwards). Hops: the sum of the distances on the rings; as many latencies; the bandwidth of one cable.
// Bisection bandwidth: across the longest dimension, of k GPUs:  2 n / k cables, each way (k = 2: n / 2).
// Source: Dally & Towles, Principles and Practices of Interconnection Networks (2004), chapters 5 and 8; Jouppi et al.,
// TPU v4, ISCA (2023).
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/topology_row.hpp"

namespace sim::network {

// Throws ProgramError without a dimension, or with one of no GPU, or without a bandwidth.
Topology torus(const std::vector<int>& sizes, const Wire& wire);

// Without sizes, as equal as can be. `torus_row()`: of a file alone; torus-2d and torus-3d: of a number of GPUs.
TopologyRow torus_row();
TopologyRow torus_2d_row();
TopologyRow torus_3d_row();

}  // namespace sim::network
