// Where the members of a layout's groups are: evenly spaced ranks, on nodes of several.
#pragma once

#include "libsim/network/nccl.hpp"

#include <algorithm>

namespace sim::model {

// Of `count` ranks, `stride` apart, where groups begin at nodes or do not leave one.
inline Footprint spaced_footprint(int stride, int count, int per_node) {
    return {count, std::clamp(per_node / std::max(1, stride), 1, count)};
}

}  // namespace sim::model
