// The Python module `_ndsim`: the C++ part of the package `ndsim`.
#include "tools/python/bindings.hpp"

PYBIND11_MODULE(_ndsim, module) {
    using namespace sim::python;
    module.doc() = "The compiled part of the package ndsim.";
    module.attr("__version__") = NDSIM_VERSION;
    bind_errors();
    bind_groups(module);
    bind_mesh(module);
    GpuClass gpu = bind_gpu(module);
    bind_streams(module, gpu);
    bind_messages(module, gpu);
    bind_collectives(gpu);
    bind_results(module);
    bind_launch(module);
    bind_here(module);
    bind_planning(module);
    bind_torch_gpus(module);
    bind_printed_amounts(module);
    bind_lab(module);
}
