// Four axes of parallelism laid out on ranks in any order: the mistakes of lab 13 are made of it.
#pragma once

#include "tools/labs/lab.hpp"

#include <array>
#include <functional>

namespace sim::labs {

struct MeshAxis {
    const char* name = "";
    int size = 1;
    std::int64_t bytes = 0;  // of one message of a step
    std::int64_t times = 0;
    int stride = 0;
};
using MeshAxes = std::array<MeshAxis, 4>;  // tp, cp, dp, pp

// Without strides.
MeshAxes axes_of(const Given& given);

// Gives the axes strides, the innermost of this order first.
void lay_out(MeshAxes& axes, const std::array<int, 4>& order);
// By this, the largest innermost; equal ones as they are.
std::array<int, 4> largest_first(const MeshAxes& axes, const std::function<std::int64_t(const MeshAxis&)>& size);

// The step of the lab with these strides.
void run_mapped(GPU& gpu, const MeshAxes& axes);

}  // namespace sim::labs
