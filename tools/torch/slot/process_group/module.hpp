// Python bindings for torch.distributed's backends over the simulated ranks, which replace PyTorch's own.
#pragma once

#include <pybind11/pybind11.h>

namespace sim::slot {

void bind_process_groups(pybind11::module_& module);

}  // namespace sim::slot
