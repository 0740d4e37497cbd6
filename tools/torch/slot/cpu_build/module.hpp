// What a build of PyTorch for the CPU does not have of CUDA, for Python to put in its place.
#pragma once

#include <pybind11/pybind11.h>

namespace sim::slot {

void bind_cpu_build(pybind11::module_& module);

}  // namespace sim::slot
