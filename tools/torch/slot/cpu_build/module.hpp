// Python bindings for the parts of CUDA that a build of PyTorch for the CPU lacks.
#pragma once

#include <pybind11/pybind11.h>

namespace sim::slot {

void bind_cpu_build(pybind11::module_& module);

}  // namespace sim::slot
