#include "tools/ndsim/topology/drawing/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sim::tools {

int shared_by(const Topology& topology, int most) {
    for (const int level : topology.levels) {
        if (topology.gpus / level <= most) {
            return level;
        }
    }
    return (topology.gpus + most - 1) / most;
}

std::string span_label(int first, int count) {
    return count == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + count - 1);
}

DrawingPlacement in_a_circle(const Topology& topology) {
    constexpr int most_boxes = 64;
    const int share = topology.gpus <= most_single_gpus ? 1 : shared_by(topology, most_boxes);
    const int count = (topology.gpus + share - 1) / share;
    const double width = share == 1 ? 26 : 62;
    const double radius = std::max(70.0, count * (width + 8) / (2 * std::numbers::pi));
    DrawingPlacement placement;
    for (int i = 0; i < count; ++i) {
        const double angle = 2 * std::numbers::pi * i / count - std::numbers::pi / 2;
        const int first = i * share;
        placement.add({.centre = {radius * std::cos(angle), radius * std::sin(angle)},
                       .width = width,
                       .height = 22,
                       .label = span_label(first, std::min(share, topology.gpus - first))});
    }
    for (int gpu = 0; gpu < topology.gpus; ++gpu) {
        placement.box_of.push_back(gpu / share);
    }
    return placement;
}

}  // namespace sim::tools
