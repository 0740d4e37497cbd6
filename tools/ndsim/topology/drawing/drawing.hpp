// A drawing shows a topology as an SVG picture: layers of switches above GPUs, a circle, a grid, or groups in a circle,
// according to its layout.
//
// Up to 128 GPUs each have a box of their own; beyond that, neighbours share boxes labelled with their number. A line
// stands for all cables between two boxes; its colour is their bandwidth.
#pragma once

#include "libsim/network/topology.hpp"

namespace sim::tools {

std::string drawing_of(const Topology& topology);

}  // namespace sim::tools
