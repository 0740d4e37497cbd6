// This step maps four axes of parallelism onto ranks in any order: the mistakes of lab 13 are built from it.
#pragma once

#include "tools/labs/lab.hpp"

#include <array>
#include <functional>

namespace sim::labs {

struct MeshAxis {
    const char* name = "";
    int size = 1;
    std::int64_t bytes = 0;  // size of one message of a step
    std::int64_t times = 0;
    int stride = 0;
};
using MeshAxes = std::array<MeshAxis, 4>;  // tp, cp, dp, pp

// The axes without strides.
MeshAxes axes_of(const Given& given);

// Assigns strides to the axes, the first of `order` innermost.
void lay_out(MeshAxes& axes, const std::array<int, 4>& order);
// The order by descending `size`; equal ones keep their order.
std::array<int, 4> largest_first(const MeshAxes& axes, const std::function<std::int64_t(const MeshAxis&)>& size);

// Runs the lab's step with these strides.
void run_mapped(GPU& gpu, const MeshAxes& axes);

}  // namespace sim::labs
