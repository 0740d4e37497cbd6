// The Python module `_ndsim`: the C++ part of the package `ndsim`.
#include "libsim/report/amounts.hpp"
#include "tools/python/bindings.hpp"

namespace sim::python {

namespace {

// Amounts as ndsim prints them, so that Python's tables read like those of the commands.
void bind_printed_amounts(pybind11::module_& module) {
    module.def("time_text", pybind11::overload_cast<double>(&report::time_text), pybind11::arg("seconds"));
    module.def("bytes_text", pybind11::overload_cast<double>(&report::bytes_text), pybind11::arg("bytes"));
    module.def("percent_text", &report::percent_text, pybind11::arg("share"));
}

}  // namespace

}  // namespace sim::python

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
