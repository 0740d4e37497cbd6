// The axes of the mesh that the ranks of a timeline form, taken from whoever knows the mesh.
#pragma once

#include "libsim/report/timeline.hpp"

#include <functional>
#include <initializer_list>

namespace sim::report {

// Adds those of the axes on which the ranks differ. `names`: from the outermost inwards; `coordinate`: a rank's on an
// axis.
void add_axes(Timeline& timeline, std::initializer_list<const char*> names,
              const std::function<int(int rank, const char* axis)>& coordinate);

}  // namespace sim::report
