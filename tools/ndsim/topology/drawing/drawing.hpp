// A drawing shows a topology as an SVG picture: layers of switches above GPUs, a circle, a grid, or groups in a circle,
// as its layout says.
//
// Up to 128 GPUs each has a box of its own; beyond, neighbours share one, which says how many it holds. A line is all
// cables between two boxes; its colour is their bandwidth.
#pragma once

#include "libsim/network/topology.hpp"

namespace sim::tools {

std::string drawing_of(const Topology& topology);

}  // namespace sim::tools
