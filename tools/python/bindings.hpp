// Each function here adds one part of the Python module `_ndsim`; module.cpp calls them in this order.
#pragma once

#include "tools/python/rank_gpu.hpp"

#include <pybind11/pybind11.h>

namespace sim::python {

using GpuClass = pybind11::class_<RankGPU>;

void bind_errors();
void bind_groups(pybind11::module_& module);
void bind_mesh(pybind11::module_& module);
GpuClass bind_gpu(pybind11::module_& module);
void bind_streams(pybind11::module_& module, GpuClass& gpu);
void bind_messages(pybind11::module_& module, GpuClass& gpu);
void bind_collectives(GpuClass& gpu);
void bind_results(pybind11::module_& module);
void bind_launch(pybind11::module_& module);
void bind_here(pybind11::module_& module);
void bind_planning(pybind11::module_& module);
void bind_torch_gpus(pybind11::module_& module);
void bind_lab(pybind11::module_& module);

// Runs the rank's whole program in its process. The program returns its last words if it fails; empty otherwise.
void be_python_rank(GPU& gpu, const pybind11::object& program);

}  // namespace sim::python
