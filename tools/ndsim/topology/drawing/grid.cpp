// Draws grids: x to the right, y down, the third dimension as planes, each a little up and to the right of the one
// before.
#include "tools/ndsim/topology/drawing/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sim::tools {

namespace {

struct Side {
    int size;
    int stride;
    int share;  // GPUs along this side in one box

    int boxes() const { return (size + share - 1) / share; }
};

std::vector<Side> sides_of(const Topology& topology) {
    std::vector<Side> sides;
    int stride = 1;
    std::vector<int> strides = topology.levels;
    strides.push_back(topology.gpus);
    for (const int next : strides) {
        sides.push_back({next / stride, stride, 1});
        stride = next;
    }
    const int most = sides.size() > 2 ? 4 : 8;
    for (Side& side : sides) {
        side.share = topology.gpus > most_single_gpus ? (side.size + most - 1) / most : 1;
    }
    return sides;
}

// The offset from one plane to the next.
double depth_of(const std::vector<Side>& sides, double pitch) {
    return sides.size() > 2 ? 0.84 * pitch / sides[2].boxes() : 0;
}

// The position of a cell: planes for the third dimension, rows of such stacks for the dimensions beyond.
Point place(const std::vector<Side>& sides, const std::vector<int>& at, double pitch) {
    const double x = at[0];
    const double y = sides.size() > 1 ? at[1] : 0;
    const double z = sides.size() > 2 ? at[2] : 0;
    const double depth = depth_of(sides, pitch);
    Point point{x * pitch + z * depth, y * pitch - z * depth};
    double below = (sides[0].boxes() + 1.5) * pitch;
    for (std::size_t i = 3; i < sides.size(); ++i) {
        point.x += at[i] * below;
        below *= sides[i].boxes();
    }
    return point;
}

// Places each line's switch beside the middle of its GPUs; switches in the same place share a box.
void place_switches(const Topology& topology, DrawingPlacement& placement) {
    std::vector<Point> sums(topology.vertices.size());
    std::vector<int> counts(topology.vertices.size(), 0);
    for (const Link& link : topology.links) {
        if (link.to >= topology.gpus && link.from < topology.gpus) {
            const auto to = static_cast<std::size_t>(link.to);
            const Point at =
                placement.boxes[static_cast<std::size_t>(placement.box_of[static_cast<std::size_t>(link.from)])].centre;
            sums[to] = {sums[to].x + at.x, sums[to].y + at.y};
            ++counts[to];
        }
    }
    const std::size_t gpu_boxes = placement.boxes.size();
    for (auto v = static_cast<std::size_t>(topology.gpus); v < topology.vertices.size(); ++v) {
        const int n = std::max(1, counts[v]);
        const Point centre{sums[v].x / n + 26, sums[v].y / n + 26};
        const auto same = [&](const Box& box) { return box.centre.x == centre.x && box.centre.y == centre.y; };
        const auto first = placement.boxes.begin() + static_cast<std::ptrdiff_t>(gpu_boxes);
        const auto there = std::find_if(first, placement.boxes.end(), same);
        if (there != placement.boxes.end()) {
            placement.box_of.push_back(static_cast<int>(there - placement.boxes.begin()));
            continue;
        }
        placement.box_of.push_back(placement.add(
            {.centre = centre, .width = 16, .height = 16, .label = "", .kind = topology.vertices[v].kind}));
    }
}

}  // namespace

DrawingPlacement on_a_grid(const Topology& topology) {
    const std::vector<Side> sides = sides_of(topology);
    const bool shared = std::any_of(sides.begin(), sides.end(), [](const Side& side) { return side.share > 1; });
    // Planes must neither hide each other nor reach the next row.
    const double pitch = sides.size() > 2 ? std::max(110.0, (shared ? 58.0 : 32.0) * sides[2].boxes()) : 80;
    DrawingPlacement placement;
    placement.bent_beyond = sides.size() > 2 ? 1.25 * pitch : 1.1 * pitch;
    if (sides.size() > 2) {
        placement.bent_diagonals_beyond = 1.5 * std::sqrt(2.0) * depth_of(sides, pitch);
    }
    std::vector<int> box_at;
    for (int gpu = 0; gpu < topology.gpus; ++gpu) {
        std::vector<int> at;
        std::size_t cell = 0;
        std::size_t cells = 1;
        for (const Side& side : sides) {
            at.push_back(gpu / side.stride % side.size / side.share);
            cell += static_cast<std::size_t>(at.back()) * cells;
            cells *= static_cast<std::size_t>(side.boxes());
        }
        box_at.resize(cells, -1);
        if (box_at[cell] < 0) {
            int count = 1;
            for (std::size_t i = 0; i < sides.size(); ++i) {
                count *= std::min(sides[i].share, sides[i].size - at[i] * sides[i].share);
            }
            box_at[cell] = placement.add({.centre = place(sides, at, pitch),
                                          .width = shared ? 46.0 : 26.0,
                                          .height = 20,
                                          .label = shared ? fmt::format("{} GPUs", count) : fmt::format("{}", gpu)});
        }
        placement.box_of.push_back(box_at[cell]);
    }
    place_switches(topology, placement);
    return placement;
}

}  // namespace sim::tools
