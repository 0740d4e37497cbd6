// A placement holds the positions at which the vertices of a topology are drawn. Only drawing/ uses it.
#pragma once

#include "libsim/network/topology.hpp"

namespace sim::tools {

struct Point {
    double x = 0;
    double y = 0;
};

struct Box {
    Point centre;
    double width = 20;
    double height = 20;
    std::string label;
    VertexKind kind = VertexKind::gpu;
};

// A frame around vertices that belong together: a node, a group.
struct Frame {
    Point low;
    Point high;
    std::string title;
    bool round = false;
};

struct DrawingPlacement {
    std::vector<Box> boxes;
    std::vector<int> box_of;    // the box of each vertex
    std::vector<Frame> frames;  // drawn behind the boxes
    double bent_diagonals_beyond = 1e9;
    double bent_beyond = 1e9;  // longer lines along a row or column are bent around the boxes in between
    int add(Box box) {
        boxes.push_back(std::move(box));
        return static_cast<int>(boxes.size()) - 1;
    }
};

DrawingPlacement in_layers(const Topology& topology);
DrawingPlacement in_a_circle(const Topology& topology);
DrawingPlacement on_a_grid(const Topology& topology);
DrawingPlacement in_groups(const Topology& topology);

// The number of neighbours that share a box so that there are at most `most` boxes: a level's GPUs if a level suffices.
int shared_by(const Topology& topology, int most);
// "0", or "0-7": the GPUs in a box.
std::string span_label(int first, int count);

inline constexpr int most_single_gpus = 128;

}  // namespace sim::tools
