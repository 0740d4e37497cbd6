// Blocks of GPUs on a torus: their sides, and the links that a collective within a block can use at once.
#pragma once

#include "libsim/namespaces.hpp"

#include <vector>

namespace sim::network {

// The `count` sides of a grid of `gpus` GPUs, each a multiple of `unit`, with the shortest longest side; ascending.
// Empty if there are none. Cost: O(sqrt(gpus)) for 2 sides, O(gpus^(2/3)) for 3. Requires: count 2 or 3, gpus >= 1.
std::vector<int> grid_sides(int gpus, int count, int unit = 1);

// A block that is as even as its number of GPUs allows. A side of at least `closed` GPUs is a ring, over which data go
// both ways; a shorter one is a line, whose ends have only one link to receive through.
struct TorusBlock {
    int links = 0;  // through which each GPU receives at once: two on a ring, one on a line
    int hops = 0;   // to the farthest GPU, summed over the sides
    // The bytes of an all-to-all on the busiest link, over those that one GPU sends: an eighth of the GPUs on the
    // longest ring, a quarter of those on the longest line.
    double load = 0;
};
// Requires: axes 1 to 3, gpus >= 1. Cost: that of grid_sides().
TorusBlock torus_block(int gpus, int axes, int closed);

}  // namespace sim::network
