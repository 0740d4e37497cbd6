// grid_sides() chooses the sides of a grid for a number of GPUs, as equal as possible.
#pragma once

#include "libsim/namespaces.hpp"

#include <vector>

namespace sim::network {

// `count` sides whose product is `gpus`, each a multiple of `unit`, with the shortest longest side; in ascending order.
// Empty if there are none. Cost: O(sqrt(gpus)) for 2 sides, O(gpus^(2/3)) for 3. Requires: count 2 or 3, gpus >= 1.
std::vector<int> grid_sides(int gpus, int count, int unit = 1);

}  // namespace sim::network
