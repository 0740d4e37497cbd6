// Wrong mappings of four axes onto nodes.
#include "tests/labs/wrong.hpp"
#include "tools/labs/course/mesh_mapping.hpp"

#include <algorithm>

namespace wrong {

namespace {

using sim::labs::axes_of;
using sim::labs::MeshAxes;
using sim::labs::MeshAxis;

template <class Change>
Program mapping(const char* what, Change change, const char* named = "") {
    return {13, what,
            [change](sim::GPU& gpu, const sim::lab::Given& given) {
                MeshAxes axes = axes_of(given);
                change(axes);
                run_mapped(gpu, axes);
            },
            named};
}

Program in_order(const char* what, const std::array<int, 4>& order, const char* named = "") {
    return mapping(
        what, [order](MeshAxes& axes) { lay_out(axes, order); }, named);
}

Program sorted(const char* what, std::int64_t (*size)(const MeshAxis& axis), const char* named = "") {
    return mapping(
        what, [size](MeshAxes& axes) { lay_out(axes, largest_first(axes, size)); }, named);
}

// Reports the right strides, then changes something else.
template <class Change>
Program spoiled(const char* what, Change change) {
    return mapping(what, [change](MeshAxes& axes) {
        lay_out(axes, largest_first(axes, [](const MeshAxis& axis) { return axis.bytes * axis.times; }));
        change(axes);
    });
}

}  // namespace

std::vector<Program> of_lab_13();
std::vector<Program> of_lab_13() {
    return {
        in_order("pipeline innermost", {3, 2, 1, 0}),
        in_order("data parallel innermost", {2, 0, 1, 3}),
        in_order("context parallel innermost", {1, 2, 0, 3}),
        in_order("tensor parallel outermost", {1, 2, 3, 0}),
        in_order("data before context", {0, 2, 1, 3}),
        in_order("pipeline in the middle", {3, 0, 1, 2}),
        sorted("by how often", [](const MeshAxis& axis) { return axis.times; }),
        sorted("by size of the group", [](const MeshAxis& axis) { return std::int64_t{axis.size}; }),
        sorted("small groups first", [](const MeshAxis& axis) { return -std::int64_t{axis.size}; }),
        sorted("seldom ones first", [](const MeshAxis& axis) { return -axis.times; }),
        sorted("small messages first", [](const MeshAxis& axis) { return -axis.bytes; }),
        spoiled(
            "every message twice",
            [](MeshAxes& axes) { std::for_each(axes.begin(), axes.end(), [](MeshAxis& axis) { axis.times *= 2; }); }),
        spoiled(
            "half of the bytes",
            [](MeshAxes& axes) { std::for_each(axes.begin(), axes.end(), [](MeshAxis& axis) { axis.bytes /= 2; }); }),
        spoiled("no tensor parallelism", [](MeshAxes& axes) { axes[0].times = 0; }),
        spoiled("no gradients", [](MeshAxes& axes) { axes[2].times = 0; }),
    };
}

}  // namespace wrong
